import { countByState } from '../../db/connections.ts';
import { credentialsInTrouble, type CredentialRow } from '../../db/credentials.ts';
import { STATES } from '../../domain/connection.ts';
import { noticeUntil } from '../../domain/credential-health.ts';
import { uiLinks } from '../../temporal/ui-links.ts';
import type { Command } from '../command.ts';

const status: Command = {
  name: 'status',
  usage: '',
  summary: 'How many connections are in which state, and which credentials are refused or about to end',
  options: {},
  requires: [],
  async run(_values, { pool, addresses, env }) {
    const now = new Date();
    const connections = await countByState(pool);
    const credentials = await credentialsInTrouble(pool, noticeUntil(now));
    const { temporal_ui_url: uiUrl } = addresses;
    const links = uiUrl === null ? [] : uiLinks(uiUrl, { namespace: env['TEMPORAL_NAMESPACE'] ?? 'default', now });
    return {
      json: { connections, credentials: credentials.map(shown), temporal: links },
      lines: [
        ...STATES.flatMap((state) => (connections[state] === undefined ? [] : `${connections[state]} ${state}`)),
        ...(credentials.length === 0 ? ['Every credential is accepted.'] : credentials.map((row) => lineOf(row, now))),
        ...links.map(({ title, url }) => `${title}: ${url}`),
      ],
    };
  },
};

export const statusCommands = [status];

const shown = ({ id, tenant_id, application_id, provider, label, hint, status: health, reason, expires_at }: CredentialRow) => ({ id, tenant_id, application_id, provider, label, hint, status: health, reason, expires_at }); // prettier-ignore

function lineOf({ id, tenant_id, provider, hint, status: health, reason, expires_at }: CredentialRow, now: Date) {
  const name = `Credential ${id} (${provider} ${hint}) of tenant ${tenant_id}`;
  if (health === 'invalid') return `${name} is refused: ${reason ?? 'the provider does not say why.'}`;
  const day = expires_at?.toISOString().slice(0, 10) ?? '';
  return `${name} ${expires_at !== null && expires_at <= now ? 'expired' : 'expires'} on ${day}.`;
}
