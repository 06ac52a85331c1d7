/**
 * Runs one task at a time for each key, in the order they came. Adapters hold it around "read the set, write the set" at
 * providers that cannot compare and swap. A process with siblings passes one that also takes a lock they share.
 */
export type Exclusive = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** Enough for one process, and what the shared lock is wrapped around so that a process does not queue on it twice. */
export function inProcessExclusive(): Exclusive {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, task) => {
    const before = tails.get(key) ?? Promise.resolve();
    const run = before.then(task, task);
    const tail = run.catch(() => undefined);
    tails.set(key, tail);
    try {
      return await run;
    } finally {
      if (tails.get(key) === tail) tails.delete(key);
    }
  };
}
