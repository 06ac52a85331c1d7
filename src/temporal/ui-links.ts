import { shownState, STUCK_IF_LONG } from '../domain/connection/state-sets.ts';
import type { ConnectionError } from '../domain/connection/connection.ts';
import { HOUR } from '../domain/duration.ts';
import { searchAttributes } from '../../workflows/messages.ts';

export interface UiLink {
  title: string;
  url: string;
}

const PROVIDER_FAILS: readonly ConnectionError[] = [
  'dns_write_failed',
  'credential_invalid',
  'credential_missing_zone',
];
const CERTIFICATE_FAILS: readonly ConnectionError[] = [
  'cert_failed',
  'caa_blocked',
  'ca_rate_limited',
  'edge_unreachable',
];

const running = 'ExecutionStatus = "Running"';
const connections = `WorkflowType = "connection" AND ${running}`;
const states = (...names: string[]) =>
  `${searchAttributes.ConnectionState.name} IN (${names.map((name) => `"${name}"`).join(', ')})`;
const errors = (...codes: string[]) =>
  `${searchAttributes.ErrorCode.name} IN (${codes.map((code) => `"${code}"`).join(', ')})`;

/** Returns links to frequent searches in the Temporal UI. The last search finds the runs of `tenant`. */
export function uiLinks(
  uiUrl: string,
  { namespace, now, tenant = '<tenant id>' }: { namespace: string; now: Date; tenant?: string },
): UiLink[] {
  const hourAgo = new Date(now.getTime() - HOUR).toISOString();
  const waiting = states(...new Set([...STUCK_IF_LONG].map(shownState)));
  return [
    ['Stuck for an hour', `${connections} AND ${waiting} AND ${searchAttributes.StateSince.name} < "${hourAgo}"`],
    ['A provider fails', `${connections} AND ${errors(...PROVIDER_FAILS)}`],
    ['No certificate', `${connections} AND ${errors(...CERTIFICATE_FAILS)}`],
    ['One tenant', `${running} AND ${searchAttributes.TenantId.name} = "${tenant}"`],
  ].map(([title = '', query = '']) => ({ title, url: link(uiUrl, namespace, query) }));
}

const link = (uiUrl: string, namespace: string, query: string): string =>
  `${uiUrl.replace(/\/$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows?query=${encodeURIComponent(query)}`;
