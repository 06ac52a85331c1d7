import { countByState } from '../../db/connection/connections.ts';
import { credentialsInTrouble, type CredentialRow } from '../../db/zone/credentials.ts';
import { driftedSince } from '../../db/connection/connections.ts';
import { pausedProviders } from '../../db/zone/paused-providers.ts';
import { blockedHostnames, suspendedTenants } from '../../db/edge/blocked.ts';
import { STATES } from '../../domain/connection/connection.ts';
import { LONG_DRIFT } from '../../domain/connection/long-drift.ts';
import { noticeUntil } from '../../domain/zone/credential-health.ts';
import { uiLinks } from '../../temporal/ui-links.ts';
import type { Command } from '../command.ts';

const status: Command = {
  name: 'status',
  summary: 'Shows connections by state, and everything that needs attention',
  details: 'Lists suspended tenants, blocked hostnames, paused providers and failing credentials.',
  examples: ['status', 'status --json'],
  options: {},
  requires: [],
  async run(_values, { pool, addresses, env }) {
    const now = new Date();
    const connections = await countByState(pool);
    const credentials = await credentialsInTrouble(pool, noticeUntil(now));
    const drifted = await driftedSince(pool, new Date(now.getTime() - LONG_DRIFT));
    const [suspended, blocked, paused] = [await suspendedTenants(pool), await blockedHostnames(pool), await pausedProviders(pool)]; // prettier-ignore
    const { temporal_ui_url: uiUrl } = addresses;
    const links = uiUrl === null ? [] : uiLinks(uiUrl, { namespace: env['TEMPORAL_NAMESPACE'] ?? 'default', now });
    return {
      json: {
        connections,
        drifted_long: drifted,
        suspended_tenants: suspended,
        blocked_hostnames: blocked,
        paused_providers: paused,
        credentials: credentials.map(shown),
        temporal: links,
      },
      lines: [
        ...STATES.flatMap((state) => (connections[state] === undefined ? [] : `${connections[state]} ${state}`)),
        ...(drifted === 0 ? [] : [`${drifted} drifted connections have not pointed here for 30 days or more.`]),
        ...suspended.map(
          ({ id, name, suspended_reason }) => `Tenant ${id} (${name}) is suspended: ${suspended_reason ?? ''}`,
        ),
        ...blocked.map(({ hostname, reason }) => `${hostname} is blocked: ${reason}`),
        ...paused.map(({ provider, reason }) => `${provider} is paused: ${reason}`),
        ...(credentials.length === 0 ? ['All credentials are valid.'] : credentials.map((row) => lineOf(row, now))),
        ...links.map(({ title, url }) => `${title}: ${url}`),
      ],
    };
  },
};

export const statusCommands = [status];

const shown = ({ id, tenant_id, application_id, provider, label, hint, status: health, reason, expires_at }: CredentialRow) => ({ id, tenant_id, application_id, provider, label, hint, status: health, reason, expires_at }); // prettier-ignore

function lineOf({ id, tenant_id, provider, hint, status: health, reason, expires_at }: CredentialRow, now: Date) {
  const name = `Credential ${id} (${provider} ${hint}) of tenant ${tenant_id}`;
  if (health === 'invalid') return `${name} is refused: ${reason ?? 'the provider gave no reason.'}`;
  const day = expires_at?.toISOString().slice(0, 10) ?? '';
  return `${name} ${expires_at !== null && expires_at <= now ? 'expired' : 'expires'} on ${day}.`;
}
