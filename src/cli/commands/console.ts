import { isInsecure, linkUrl } from '../../api/console-session.ts';
import { auditOperator } from '../../db/audit.ts';
import { createLink } from '../../db/tenant/console-sessions.ts';
import { getTenant } from '../../db/tenant/tenants.ts';
import { DEFAULT_SCOPES, endsOf, roleOf } from '../../domain/console-session.ts';
import { SCOPES } from '../../domain/scope.ts';
import { idIn, scopesIn, TENANT, type Command, type Values } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';

const link: Command = {
  name: 'console link',
  summary: 'Prints a link that signs you in to the console as a tenant, once and within 2 minutes',
  details: 'The session lasts 8 hours. The tenant sees it among its sessions, and in its audit log.',
  options: {
    ...TENANT,
    environment: { type: 'string', value: 'ENV', help: 'live (default), which shows test too, or test' },
    scopes: {
      type: 'string',
      value: 'SCOPES',
      help: `Comma-separated list of ${SCOPES.join(', ')}. Defaults to ${DEFAULT_SCOPES.join(',')}`,
    },
  },
  examples: [
    'console link --tenant 01a1e812-8b29-7612-a7a6-0ab24065ea05',
    'console link --tenant 01a1e812-8b29-7612-a7a6-0ab24065ea05 --environment test --scopes connections:read,connections:write',
  ],
  requires: ['tenant'],
  async run(values, { pool, config, addresses: { base_url } }) {
    const [tenantId, environment] = [idIn(values, 'tenant'), environmentIn(values)];
    const scopes = scopesIn(values, DEFAULT_SCOPES);
    if (config.CONSOLE === 'off') throw new CommandError('The console is off. Set CONSOLE=on to use it.');
    if (isInsecure(base_url))
      throw new CommandError(`No one can sign in at ${base_url}: BASE_URL must be https, or a loopback address.`);
    const tenant = await getTenant(pool, tenantId);
    if (tenant === null) throw new CommandError(`There is no tenant ${tenantId}.`);
    if (tenant.suspended_at !== null)
      throw new CommandError(`Tenant ${tenantId} is suspended, so no one can sign in as it.`);
    const now = new Date();
    const { linkExpiresAt, expiresAt } = endsOf(now);
    const { id, secret } = await pool.transaction(async (tx) => {
      const grant = { tenant_id: tenantId, environment, scopes, made_by: 'operator', key_id: null, now, expiresAt } as const; // prettier-ignore
      const made = await createLink(tx, grant, linkExpiresAt);
      await auditOperator(tx, { tenant_id: tenantId, environment, target_id: made.id, action: 'console_session.created', now }); // prettier-ignore
      return made;
    });
    const url = linkUrl(base_url, secret);
    return {
      json: { id, url, link_expires_at: linkExpiresAt, expires_at: expiresAt },
      lines: [
        url,
        `Open it within 2 minutes. It signs you in as ${roleOf(scopes)} of ${tenant.name} (${environment}).`,
      ],
    };
  },
};

export const consoleCommands = [link];

function environmentIn({ environment = 'live' }: Values): 'test' | 'live' {
  if (environment !== 'test' && environment !== 'live') throw new UsageError('--environment must be test or live.');
  return environment;
}
