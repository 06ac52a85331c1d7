import { shownState, STUCK_IF_LONG } from '../domain/connection/state-sets.ts';
import type { ConnectionError } from '../domain/connection/connection.ts';
import { HOUR } from '../domain/duration.ts';
import { searchAttributes } from '../../workflows/messages.ts';

export interface UiLink {
  /** Name of the search in a short link. */
  name: string;
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

interface Scope {
  now: Date;
  /** Tenant whose runs the last search finds. */
  tenant?: string;
}

/** Frequent searches, by their name in a short link. */
export const UI_SEARCHES: readonly { name: string; title: string; query: (scope: Scope) => string }[] = [
  {
    name: 'stuck',
    title: 'Stuck for an hour',
    query: ({ now }) =>
      `${connections} AND ${states(...new Set([...STUCK_IF_LONG].map(shownState)))} AND ${searchAttributes.StateSince.name} < "${new Date(now.getTime() - HOUR).toISOString()}"`,
  },
  { name: 'provider', title: 'A provider fails', query: () => `${connections} AND ${errors(...PROVIDER_FAILS)}` },
  { name: 'certificate', title: 'No certificate', query: () => `${connections} AND ${errors(...CERTIFICATE_FAILS)}` },
  {
    name: 'tenant',
    title: 'One tenant',
    query: ({ tenant = '<tenant id>' }) => `${running} AND ${searchAttributes.TenantId.name} = "${tenant}"`,
  },
];

/** Returns links to frequent searches in the Temporal UI. */
export const uiLinks = (uiUrl: string, { namespace, ...scope }: Scope & { namespace: string }): UiLink[] =>
  UI_SEARCHES.map(({ name, title, query }) => ({ name, title, url: link(uiUrl, namespace, query(scope)) }));

const link = (uiUrl: string, namespace: string, query: string): string =>
  `${uiUrl.replace(/\/$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows?query=${encoded(query)}`;

/** Encodes parentheses too: terminals end a link at them. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
