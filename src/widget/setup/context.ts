import type { ComponentChild } from 'preact';
import { findingParams, findingWords } from '../../locales/finding-words.ts';
import type { SetupKey, WordKey } from '../../locales/words.ts';
import type { Connection, Finding } from '../api.ts';
import type { Translate } from '../translator.ts';
import type { View } from '../view/context.ts';
import type { Shared } from '../view/shared.ts';

/** The view with the texts of the later steps. */
export interface SetupView extends Omit<View, 't'> {
  t: Translate<WordKey | SetupKey>;
  shared: Shared;
  memory: Memory;
}

/** State of the later steps while the widget is open, in addition to the flow's state. */
export interface Memory {
  /** The link for a colleague to the records of a connection. */
  link: { id: string; url: string | null; status: 'busy' | 'failed' | 'ready' } | null;
  email: Part | 'loading' | 'failed' | null;
}

/** A part that is loaded after this one. */
export interface Part {
  render(view: SetupView): ComponentChild;
}

/** Returns the provider's name, or "your DNS provider" if it is unknown. */
export const providerName = ({ state: { connection, check }, t }: SetupView): string =>
  connection?.provider_panel?.name ?? connection?.provider_name ?? check?.provider_name ?? t('yourProvider');

/** Returns a finding in the customer's language, or null if it is not meant for customers. */
export function describeFinding(view: SetupView, finding: Finding): string | null {
  const key = findingWords(finding);
  return key === undefined ? null : view.t(key, { provider: providerName(view), ...findingParams(finding) });
}

/** Returns the problems that concern the zone or the setup, not a single record. */
export const generalFindings = (connection: Connection): Finding[] =>
  connection.findings.filter(
    ({ record, records, severity, code }) =>
      severity !== 'info' && records === undefined && (record === undefined || code === 'caa_blocked'),
  );

/** Returns the findings that name records to add before all others. */
export const findingsToSettleFirst = (connection: Connection): Finding[] =>
  connection.findings.filter(({ records }) => records !== undefined);

export type RecordToAdd = Connection['records_to_add'][number];

/** Returns the first finding about a record, or null if its status is explanation enough. */
export function findingOf({ findings }: Connection, { host, type, value, status }: RecordToAdd): Finding | null {
  if (status === 'missing' || status === 'unchecked' || status === 'found') return null;
  for (const finding of findings) {
    const { record } = finding;
    if (record?.host === host && record.type === type && record.value === value) return finding;
  }
  return null;
}

/** Returns the problem of a record in the customer's language, or null. */
export function problemOf(view: SetupView, connection: Connection, record: RecordToAdd): string | null {
  const finding = findingOf(connection, record);
  return finding && describeFinding(view, finding);
}
