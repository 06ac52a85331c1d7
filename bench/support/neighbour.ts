import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** One application of a tenant, with a credential for the zone of its hostnames. */
export interface NeighbourSide {
  baseUrl: string;
  key: string;
  application_id: string;
  domain: string;
  /** Whether it receives webhooks. A live application would need a receiver with TLS. */
  hasReceiver: boolean;
}

/** Times in milliseconds. A hostname that does not go live, or a read that fails, takes infinitely long. */
export interface Measured {
  /** From the create request until a reader sees the connection live. */
  lives: number[];
  /** Reads of one connection, 50 a second. */
  reads: number[];
  /** From an event until its first attempt arrives. */
  webhooks: number[];
}

export interface Neighbour {
  /** Connects this many hostnames one after the other. */
  measure(hostnames: number): Promise<Measured>;
  stop(): Promise<void>;
}

export async function startNeighbour(side: NeighbourSide): Promise<Neighbour> {
  const child = fork(join(import.meta.dirname, 'neighbour-process.ts'), [JSON.stringify(side)], {
    serialization: 'advanced',
  });
  await Promise.race([once(child, 'message'), once(child, 'exit').then(failed)]);
  return {
    async measure(hostnames) {
      child.send(hostnames);
      const [measured] = (await once(child, 'message')) as [Measured];
      return measured;
    },
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

function failed(): never {
  throw new Error('The neighbour ended early.');
}
