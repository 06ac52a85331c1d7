/** The task at its first call, and nothing at later ones. */
export function once(task: () => Promise<void>): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    isDone = true;
    await task();
  };
}
