import { STATUS_WORDS } from '../../locales/finding-words.ts';
import type { State } from '../flow.ts';
import type { Language } from '../language.ts';

/** What has changed, in words for those who hear the page, and nothing else: not the whole list again at each poll. */
export function changesSince(before: State, now: State, { t }: Language): string[] {
  const lines: string[] = [];
  if (before.reached && !now.reached) lines.push(t(navigator.onLine ? 'unreachable' : 'offline'));
  const [old, fresh] = [before.connection?.records_to_add ?? [], now.connection?.records_to_add ?? []];
  for (let i = 0; i < old.length; i += 1) {
    const record = fresh[i];
    const was = old[i]?.status;
    // That a record is not there before anybody could add it is no news.
    if (record !== undefined && was !== record.status && was !== 'unchecked')
      lines.push(`${t('record', { type: record.panel_type })}: ${t(STATUS_WORDS[record.status])}`);
  }
  return lines;
}
