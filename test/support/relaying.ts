import type { Lab } from './lab.ts';

/** Carries messages to Temporal, as the relays of a worker do, while the body runs. */
export async function relaying<T>(lab: Lab, body: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const relay = (async () => {
    while (!over.signal.aborted) {
      await lab.relay();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  try {
    return await body();
  } finally {
    over.abort();
    await relay;
  }
}
