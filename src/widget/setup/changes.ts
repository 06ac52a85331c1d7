import { STATUS_WORDS } from '../../locales/finding-words.ts';
import type { State } from '../state.ts';
import type { SetupView } from './context.ts';

/** Lists changed records for screen readers, so that a poll does not read out every record again. */
export function changesSince(before: State, now: State, t: SetupView['t']): string[] {
  const lines: string[] = [];
  const [old, fresh] = [before.connection?.records_to_add ?? [], now.connection?.records_to_add ?? []];
  for (const { host, type, value, status: was } of old) {
    const record = fresh.filter((one) => one.host === host && one.type === type && one.value === value)[0];
    // The result of the first check is not a change.
    if (record !== undefined && was !== record.status && was !== 'unchecked')
      lines.push(`${t('record', { type: record.panel_type })}: ${t(STATUS_WORDS[record.status])}`);
  }
  return lines;
}
