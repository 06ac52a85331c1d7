import { z } from 'zod';
import { createPool } from '../../src/db/pool.ts';
import type { Addition } from '../../src/domain/zone/zone-record.ts';
import { ProviderError } from '../../src/providers/provider-error.ts';
import { providerOf } from '../../src/providers/registry.ts';
import { contextIn } from '../providers/processes.ts';
import type { WriterAnswer, WriterTask } from './writer.ts';

/**
 * A program that writes at providers as a worker of the service does, with the limiter and the lock that all processes
 * on its database share. It is started by test/support/writer.ts, which sends it tasks and hears of their end.
 */
const pool = await createPool(z.string().parse(process.argv[2]), { max: 4, name: 'writer' });
const context = contextIn(pool);
const ATTEMPTS_MAX = 10;

process.on('message', (task: WriterTask) => {
  void write(task).then(
    () => answer({ id: task.id }),
    (error: unknown) => answer({ id: task.id, error: String(error) }),
  );
});
process.once('disconnect', () => {
  void Promise.all([context.http.close(), pool.end()]);
});
answer({ id: 0 });

/** One change for each value, so that every one of them meets the other process's. */
async function write({ slug, credential, baseUrl, tokenUrl, zone: name, host, verb, values }: WriterTask) {
  const account = providerOf(slug)!.open(credential, { ...context, baseUrl, ...(tokenUrl && { tokenUrl }) });
  const zone = (await account.findZone(name))!;
  for (const value of values) {
    const record: Addition = { host, type: 'TXT', value, ttl: 3_600, priority: null };
    await persistently(() => account.apply(zone, { add: [], remove: [], [verb]: [record] }));
  }
}

/**
 * A worker tries again when the provider was too busy to write anything. A value that was written and does not stand is
 * the loss that is looked for, and is not mended here.
 */
async function persistently(task: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await task();
      return;
    } catch (error) {
      const isBusy = error instanceof ProviderError && error.retryable && !error.mayHaveChanged;
      if (!isBusy || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

function answer(told: WriterAnswer): void {
  process.send!(told);
}
