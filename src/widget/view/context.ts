import type { Flow, State } from '../flow.ts';
import type { Language } from '../language.ts';
import type { Connection, Finding } from '../api.ts';
import { findingParams, findingWords } from '../../locales/finding-words.ts';
import type { CloseReason, OpenOptions } from '../types.ts';

/** What every part of the view can read and do. */
export interface View extends Language {
  flow: Flow;
  state: State;
  options: OpenOptions;
  baseUrl: string;
  brand: string;
  /** The token is for one name, which the customer cannot change. */
  isBound: boolean;
  /** Says a change to those who hear the page. */
  announce(text: string): void;
  close(reason: CloseReason): void;
}

/** The provider by name; in a sentence, "your DNS provider" where it is not known. */
export function providerName({ state: { connection, check }, t }: View): string {
  const known = check !== null && check.provider_slug !== 'unknown' ? check.provider : undefined;
  return connection?.provider_panel?.name ?? known ?? t('yourProvider');
}

/** A finding in the customer's language; nothing where it is none of their concern. */
export function told({ t }: View, finding: Finding): string | null {
  const key = findingWords(finding);
  return key === undefined ? null : t(key, findingParams(finding));
}

/** What is wrong with the zone or the setup as such, and not with one record. */
export const generalFindings = (connection: Connection): Finding[] =>
  connection.findings.filter(
    ({ record, severity, code }) => severity !== 'info' && (record === undefined || code === 'caa_blocked'),
  );

type RecordToAdd = Connection['records_to_add'][number];

/** The finding that says most about one record. */
export function findingOf({ findings }: Connection, { host, type, value, status }: RecordToAdd): Finding | null {
  if (status === 'missing' || status === 'unchecked' || status === 'found') return null;
  for (const finding of findings) {
    const { record } = finding;
    if (record?.host === host && record.type === type && record.value === value) return finding;
  }
  return null;
}
