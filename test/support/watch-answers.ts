import { setTimeout as pause } from 'node:timers/promises';

const PAUSE_MS = 5;

/** Asks all the time until it is stopped. `stop` returns every different answer, in the order of appearance. */
export function watchAnswers(ask: () => Promise<string[]>): { stop(): Promise<string[]> } {
  const seen: string[] = [];
  const progress = { isWatching: true };
  const watching = (async () => {
    while (progress.isWatching) {
      // A query that a busy machine does not answer in time is no answer.
      const answer = await ask().then((values) => values.toSorted().join(' '), () => undefined); // prettier-ignore
      if (answer !== undefined && seen.at(-1) !== answer) seen.push(answer);
      await pause(PAUSE_MS);
    }
  })();
  return {
    async stop() {
      progress.isWatching = false;
      await watching;
      return seen;
    },
  };
}
