import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool as PgPool, type Client } from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import {
  EDGE_ACK_CHANNEL,
  passOn,
  readPosition,
  readRegistered,
  readSince,
  recordFed,
  registerFedEdge,
  sendMarker,
  type FedState,
  type Position,
} from '../../db/edge/feed.ts';
import type { AdmissionChange } from '../../domain/edge/admission.ts';
import { followAgain, TRUST_MS } from '../change-listener.ts';
import { SharedChanges } from '../shared-changes.ts';
import { jsonOf } from '../../net/json.ts';
import { EdgeMessage } from './edge-message.ts';
import { atLine, controlText, member } from './lines.ts';
import { Snapshots, textWithOwners } from './snapshot.ts';
import { Stream } from './stream.ts';

/** A lease is granted only while ours is so new that it outlasts the edge's, also in Postgres if this process dies. */
const GRANT_RESERVE_MS = 1_000;
/** Number of renewals (two a second) between two positions. */
const POSITION_EVERY = 20;

const PassedOn = EdgeMessage.extend({ edge: z.string() });

export interface Feeding {
  edge: { id: string; name: string; tokenHash: string; staleForMs: number };
  /** Position of the edge, as it gave it; undefined if it has none. */
  from: Position | undefined;
  response: ServerResponse;
}

/**
 * Feeds edges with the admissions. This process has one lease in Postgres for all of its edges: it acknowledges a change
 * when every one has, or the lease that it granted to that edge has ended.
 */
export class FeedHub {
  private readonly changes: SharedChanges;
  private readonly log: Logger;
  private readonly pool: PgPool;
  private readonly snapshots: Snapshots;
  private readonly streams = new Map<string, Stream>();
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  private batch = 0;
  private isEnding = false;
  private trustedUntil = 0;
  private readonly markers = new Map<string, Position>();

  /** `changes` are those that another copy of the process follows too. */
  constructor(databaseUrl: string, log: Logger, changes = new SharedChanges(databaseUrl)) {
    this.changes = changes;
    this.log = log;
    this.pool = new PgPool({
      connectionString: databaseUrl,
      max: 4,
      connectionTimeoutMillis: 5_000,
      query_timeout: 30_000,
    });
    this.pool.on('error', () => undefined); // an idle connection broke; the next query opens another
    this.snapshots = new Snapshots(this.pool);
    this.running = followAgain(
      () => this.follow().finally(() => this.endStreams()),
      this.stopping.signal,
      (error) => log.warn({ err: error }, 'Edges are not fed until the database answers.'),
    );
  }

  get isReady(): boolean {
    return performance.now() < this.trustedUntil;
  }

  get size(): number {
    return [...this.streams.values()].filter(({ isOpen }) => isOpen).length;
  }

  get database(): PgPool {
    return this.pool;
  }

  /** Our lease in Postgres has to outlast those of the edges, which go to another process. */
  async stop(): Promise<void> {
    this.isEnding = true;
    for (const stream of this.streams.values()) stream.close();
    while ([...this.streams.values()].some(({ leaseMs }) => leaseMs > 0)) await pause(20);
    this.stopping.abort();
    await this.running;
    await this.pool.end();
  }

  /** Feeds an edge until its connection closes: what it lacks first, and changes from the beginning on. */
  async feed({ edge, from, response }: Feeding): Promise<void> {
    const stream = new Stream({ id: randomUUID(), edge, response });
    const closed = new AbortController();
    response.once('close', () => {
      closed.abort();
      this.leave(stream);
    });
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip', 'cache-control': 'no-store' }); // prettier-ignore
    const { epoch } = await readPosition(this.pool);
    await registerFedEdge(this.pool, edge, stream.id);
    stream.sendLines(['hello', stream.id, epoch]);
    this.streams.set(stream.id, stream); // before anything is read, so that no change is missed
    try {
      await this.load(stream, epoch, from, closed.signal);
    } catch (error) {
      if (!closed.signal.aborted) this.log.warn({ err: error, edge: edge.name }, 'An edge could not be loaded.');
      stream.close();
    }
  }

  private async load(stream: Stream, epoch: string, from: Position | undefined, signal: AbortSignal): Promise<void> {
    let after = from?.epoch === epoch ? from.after : undefined;
    if (after === undefined) {
      const { position, parts } = await this.snapshots.get(epoch);
      for (const part of parts) await stream.load(part, signal);
      after = position.after;
    }
    await readSince(this.pool, after, async (changes) =>
      stream.load(member(await textWithOwners(this.pool, changes)), signal),
    );
    stream.sendLines(['loaded']);
    stream.sendLines(atLine({ epoch, after }));
    stream.isLoaded = true;
  }

  /** Handles an edge's message here, or passes it on to the process that feeds the edge. */
  async receive(edge: string, message: EdgeMessage): Promise<void> {
    if (this.streams.has(message.stream)) await this.handle(edge, message);
    else await passOn(this.pool, { ...message, edge });
  }

  private async handle(edge: string, { stream: id, through, at, renew, ends }: EdgeMessage): Promise<void> {
    const stream = this.streams.get(id);
    if (stream?.edge.name !== edge) return;
    if (at !== undefined) stream.position = at;
    if (through !== undefined) stream.acknowledge(through);
    if (ends === true) stream.release();
    if (renew === undefined) return;
    const isGranted = stream.isLoaded && stream.isOpen && this.mayGrant();
    // The first lease is recorded before the edge relies on it; the renewals record later ones.
    if (isGranted && stream.leaseMs === 0) await recordFed(this.pool, [stateOf(stream)]);
    stream.renew(renew, isGranted && this.mayGrant());
  }

  private mayGrant(): boolean {
    return !this.isEnding && this.trustedUntil - performance.now() >= GRANT_RESERVE_MS;
  }

  /** A stream that is closed counts until its lease has ended, because its edge may not know yet. */
  private leave(stream: Stream): void {
    const after = stream.leaseMs;
    if (after === 0) this.streams.delete(stream.id);
    else setTimeout(() => this.leave(stream), after + 1).unref();
  }

  /** Notifications may have been missed: edges connect again, and resume at their position. */
  private endStreams(): void {
    this.trustedUntil = 0;
    for (const stream of this.streams.values()) stream.close();
  }

  private follow(): Promise<void> {
    let renewals = 0;
    return this.changes.follow(
      {
        begin: async (client) => {
          this.markers.clear();
          client.on('notification', ({ channel, payload }) => {
            if (channel === EDGE_ACK_CHANNEL) this.hear(payload ?? '');
          });
          await client.query(`LISTEN ${EDGE_ACK_CHANNEL}`);
        },
        take: (_client, changes) => this.publish(changes),
        marked: (marker) => this.announce(marker),
        alsoRenew: async (client) => {
          if (renewals++ % POSITION_EVERY === 0) await this.seekPosition(client);
        },
        renewed: (until) => {
          this.trustedUntil = until;
          void this.record().catch(() => undefined); // the next renewal records it again
        },
      },
      this.stopping.signal,
    );
  }

  /** Sends changes to every edge. `delivered` waits for the edges that may answer from their copies. */
  private async publish(changes: readonly AdmissionChange[]): Promise<{ delivered?: Promise<unknown> }> {
    if (this.streams.size === 0) return {};
    const text = await textWithOwners(this.pool, changes);
    const batch = ++this.batch;
    const bytes = member(text + controlText(['batch', batch]));
    const streams = [...this.streams.values()];
    for (const stream of streams) stream.send(bytes);
    return { delivered: Promise.all(streams.map((stream) => stream.reached(batch))) };
  }

  /** Reads the present position, and sends a marker: when it returns, every change of an ended transaction was sent. */
  private async seekPosition(client: Client): Promise<void> {
    const marker = randomUUID();
    this.markers.set(marker, await readPosition(client));
    await sendMarker(client, marker);
  }

  private announce(marker: string): void {
    const position = this.markers.get(marker);
    if (position === undefined) return; // another process's
    this.markers.delete(marker);
    const bytes = member(controlText(atLine(position)));
    for (const stream of this.streams.values()) if (stream.isLoaded) stream.send(bytes);
  }

  private hear(payload: string): void {
    const message = PassedOn.safeParse(jsonOf(payload)).data;
    if (message !== undefined) void this.handle(message.edge, message).catch(() => undefined);
  }

  /** Records the leases of the edges, and closes the streams of tokens that are no longer valid. */
  private async record(): Promise<void> {
    const streams = [...this.streams.values()];
    if (streams.length === 0) return;
    const leased = streams.filter(({ leaseMs }) => leaseMs > 0);
    await recordFed(this.pool, leased.map(stateOf));
    const valid = await readRegistered(this.pool, [...new Set(streams.map(({ edge }) => edge.name))]);
    for (const stream of streams) {
      const registered = valid.find(({ name }) => name === stream.edge.name);
      if (registered?.token_hash !== stream.edge.tokenHash) stream.close();
      else if (registered.draining !== stream.isDraining) {
        stream.isDraining = registered.draining;
        stream.sendLines(['drain', registered.draining]);
      }
    }
  }
}

/** Returns what is recorded of an edge that has a lease, or gets its first. Its own time ends before what we granted. */
const stateOf = ({ edge: { id, name }, leaseMs, position, lagMs }: Stream): FedState => ({
  id,
  name,
  leaseMs: leaseMs === 0 ? TRUST_MS : Math.max(0, leaseMs - GRANT_RESERVE_MS / 2),
  position,
  lagMs,
});
