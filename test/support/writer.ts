import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Credential } from '../../src/providers/contract.ts';

/** Values of one TXT set that a process of its own adds or removes, one after the other. */
export interface WriterTask {
  id: number;
  slug: string;
  credential: Credential;
  baseUrl: string;
  tokenUrl?: string | undefined;
  zone: string;
  host: string;
  verb: 'add' | 'remove';
  values: readonly string[];
}

/** The task with this number has ended; number 0 says that the process is ready. */
export interface WriterAnswer {
  id: number;
  error?: string;
}

export interface Writer {
  write(task: Omit<WriterTask, 'id'>): Promise<void>;
  stop(): Promise<void>;
}

/** Starts test/support/writer-process.ts in a Node process of its own, on a database of the test's. */
export async function startWriter(databaseUrl: string): Promise<Writer> {
  const child = fork(join(import.meta.dirname, 'writer-process.ts'), [databaseUrl], { execArgv: [] });
  const exited = once(child, 'exit');
  const waiting = new Map<number, PromiseWithResolvers<undefined>>();
  const ended = (id: number): Promise<undefined> => {
    const end = Promise.withResolvers<undefined>();
    waiting.set(id, end);
    return end.promise;
  };
  child.on('message', ({ id, error }: WriterAnswer) => {
    if (error === undefined) waiting.get(id)?.resolve(undefined);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('The writing process ended.'));
  });
  await ended(0);
  let count = 0;
  return {
    write(task) {
      const id = ++count;
      const end = ended(id);
      child.send({ id, ...task } satisfies WriterTask);
      return end;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
