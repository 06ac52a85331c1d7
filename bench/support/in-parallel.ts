/** Does the task for all of them, so many at a time, and tells how far it is where that takes long. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  told: string | null,
  task: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = [...items];
  let done = 0;
  const one = async () => {
    for (let item = queue.pop(); item !== undefined; item = queue.pop()) {
      await task(item);
      if (++done % 500 === 0 && told !== null) process.stderr.write(`${told}: ${done} of ${items.length}\n`);
    }
  };
  await Promise.all(Array.from({ length: width }, one));
}
