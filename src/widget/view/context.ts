import type { Flow, State } from '../flow.ts';
import type { Language } from '../language.ts';
import type { Connection, Finding } from '../api.ts';
import { findingParams, findingWords } from '../../locales/finding-words.ts';
import type { CloseReason, OpenOptions } from '../types.ts';

export interface View extends Language {
  flow: Flow;
  state: State;
  options: OpenOptions;
  baseUrl: string;
  brand: string;
  /** The token is bound to one domain, which the customer cannot change. */
  isBound: boolean;
  /** Announces a change to screen readers. */
  announce(text: string): void;
  close(reason: CloseReason): void;
}

/** Returns the provider's name, or "your DNS provider" if it is unknown. */
export function providerName({ state: { connection, check }, t }: View): string {
  const known = check !== null && check.provider_slug !== 'unknown' ? check.provider : undefined;
  return connection?.provider_panel?.name ?? known ?? t('yourProvider');
}

/** Returns a finding in the customer's language, or null if it is not meant for customers. */
export function describeFinding({ t }: View, finding: Finding): string | null {
  const key = findingWords(finding);
  return key === undefined ? null : t(key, findingParams(finding));
}

/** Returns the problems that concern the zone or the setup, not a single record. */
export const generalFindings = (connection: Connection): Finding[] =>
  connection.findings.filter(
    ({ record, severity, code }) => severity !== 'info' && (record === undefined || code === 'caa_blocked'),
  );

type RecordToAdd = Connection['records_to_add'][number];

/** Returns the first finding about a record, or null if its status is explanation enough. */
export function findingOf({ findings }: Connection, { host, type, value, status }: RecordToAdd): Finding | null {
  if (status === 'missing' || status === 'unchecked' || status === 'found') return null;
  for (const finding of findings) {
    const { record } = finding;
    if (record?.host === host && record.type === type && record.value === value) return finding;
  }
  return null;
}
