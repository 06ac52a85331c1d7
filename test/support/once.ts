/** Returns a function that runs the task on its first call and does nothing on later calls. */
export function once(task: () => Promise<void>): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    isDone = true;
    await task();
  };
}
