import type { RecordPage } from './shown-page.ts';

const MOST_PER_SECOND = 20;
const SECOND_MS = 1_000;

/** Passes pages on to the log, up to a number each second, because visitors can cause many. */
export function limitedPages(write: RecordPage, now = () => performance.now()): RecordPage {
  let since = -Infinity;
  let count = 0;
  return (page) => {
    if (now() - since >= SECOND_MS) [since, count] = [now(), 0];
    if (count++ < MOST_PER_SECOND) write(page);
  };
}
