import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import { controlText, member, type Control } from './lines.ts';

/** A lease that is granted to an edge. The edge itself trusts it for 2 s, from the moment of its request on. */
const GRANT_MS = 2_500;
/** Bytes that may wait for a slow edge, beyond what it loads. */
const MAX_WAITING_BYTES = 64 << 20;

export interface StreamOptions {
  id: string;
  /** Id of the edge's agent, and name of the edge. */
  edge: { id: string; name: string; tokenHash: string };
  response: ServerResponse;
}

/** The feed of one edge: what it was sent, what it has acknowledged, and its lease. */
export class Stream {
  readonly id: string;
  readonly edge: StreamOptions['edge'];
  isLoaded = false;
  isDraining = false;
  /** Position that the edge has stored. */
  position: string | null = null;
  /** Time between the last batch and its acknowledgement. */
  lagMs: number | null = null;
  private readonly response: ServerResponse;
  private leasedUntil = 0;
  private acknowledged = 0;
  private waiting: { batch: number; sentAt: number; done: () => void }[] = [];

  constructor({ id, edge, response }: StreamOptions) {
    this.id = id;
    this.edge = edge;
    this.response = response;
  }

  /** Time for which the edge may still answer from its copy. */
  get leaseMs(): number {
    return Math.max(0, this.leasedUntil - performance.now());
  }

  get isOpen(): boolean {
    return !this.response.destroyed && !this.response.writableEnded;
  }

  send(bytes: Buffer): void {
    if (!this.isOpen) return;
    this.response.write(bytes);
    if (this.isLoaded && this.response.writableLength > MAX_WAITING_BYTES) this.close();
  }

  sendLines(...lines: readonly Control[]): void {
    this.send(member(controlText(...lines)));
  }

  /** Sends a part of many, and waits until the edge has read most of it. */
  async load(bytes: Buffer, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.response.write(bytes)) await once(this.response, 'drain', { signal });
  }

  /** Answers a request to renew. A lease is recorded before it is sent. */
  renew(count: number, isGranted: boolean): void {
    const isLeased = isGranted && this.isOpen;
    if (isLeased) this.leasedUntil = performance.now() + GRANT_MS;
    this.sendLines([isLeased ? 'lease' : 'wait', count]);
  }

  acknowledge(batch: number): void {
    this.acknowledged = Math.max(this.acknowledged, batch);
    const now = performance.now();
    for (const one of this.waiting.filter((entry) => entry.batch <= batch)) {
      this.lagMs = Math.round(now - one.sentAt);
      one.done();
    }
  }

  /** Resolves when the edge has acknowledged a batch that was sent now, or may no longer answer from its copy. */
  async reached(batch: number): Promise<void> {
    if (this.acknowledged >= batch || this.leaseMs === 0) return;
    const reached = Promise.withResolvers<undefined>();
    const entry = { batch, sentAt: performance.now(), done: () => reached.resolve(undefined) };
    this.waiting.push(entry);
    let timer: NodeJS.Timeout | undefined;
    const check = (): void => {
      if (this.leaseMs === 0) entry.done();
      else timer = setTimeout(check, this.leaseMs + 1); // the lease may be renewed meanwhile
    };
    check();
    await reached.promise;
    clearTimeout(timer);
    this.waiting = this.waiting.filter((one) => one !== entry);
  }

  /** Ends the lease at the edge's own word: it no longer answers from its copy. */
  release(): void {
    this.leasedUntil = 0;
    for (const { done } of this.waiting) done();
  }

  close(): void {
    this.response.destroy();
  }
}
