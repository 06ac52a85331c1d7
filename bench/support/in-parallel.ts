/** Runs the task for all items, `width` in parallel, and prints its progress under the label, if one is given. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  label: string | null,
  task: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = [...items];
  let done = 0;
  const one = async () => {
    for (let item = queue.pop(); item !== undefined; item = queue.pop()) {
      await task(item);
      if (++done % 500 === 0 && label !== null) process.stderr.write(`${label}: ${done} of ${items.length}\n`);
    }
  };
  await Promise.all(Array.from({ length: width }, one));
}
