/** Combines work: items that arrive during work are done together next. If that fails, each is retried alone. */
export function together<T>(work: (items: readonly T[]) => Promise<void>, most = 100): (item: T) => Promise<void> {
  type Waiting = { item: T; done: () => void; failed: (error: unknown) => void };
  const waiting: Waiting[] = [];
  let isBusy = false;

  const alone = ({ item, done, failed }: Waiting) => work([item]).then(done, failed);
  const run = async (): Promise<void> => {
    isBusy = true;
    while (waiting.length > 0) {
      const group = waiting.splice(0, most);
      try {
        await work(group.map(({ item }) => item));
        for (const { done } of group) done();
      } catch (error) {
        if (group.length === 1) group[0]?.failed(error);
        else await Promise.all(group.map(alone));
      }
    }
    isBusy = false;
  };

  return (item) =>
    new Promise((done, failed) => {
      waiting.push({ item, done, failed });
      if (!isBusy) void run();
    });
}
