import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import type { AdmissionChange, Admittance } from '../../domain/edge/admission.ts';
import type { AdmissionSource, FollowedCopy } from '../admission.ts';
import type { CertificateFeed } from '../certificate-feed.ts';
import { RENEW_EVERY_MS, TRUST_MS } from '../change-listener.ts';
import type { Journal } from '../journal.ts';
import type { FeedClient } from './client.ts';
import type { EdgeStatus } from './edge-message.ts';
import { feedLineIn, fits, isEnd, linesIn, type Control } from './lines.ts';
import { Messages } from './messages.ts';

/** The stream has an answer to every renewal, so silence means that the connection is gone. */
const SILENCE_MS = 5_000;
/** Number of renewals between two reports of the status. */
const STATUS_EVERY = 10;
/** Changes that are applied together while loading. */
const TOGETHER = 5_000;

export interface FeedSourceOptions {
  client: FeedClient;
  journal: Journal;
  certificates: CertificateFeed;
  staleForMs: number;
  /** Answers while the copy is not trusted. */
  otherwise(hostname: string): Admittance | Promise<Admittance>;
  /** State of this edge, for operators. */
  status(): EdgeStatus;
  onDrain(isDraining: boolean): void;
}

/** Follows the admissions by the control plane's feed: one address and one token instead of a login to the database. */
export class FeedSource implements AdmissionSource {
  private readonly options: FeedSourceOptions;

  constructor(options: FeedSourceOptions) {
    this.options = options;
  }

  lookup(hostname: string): Admittance | Promise<Admittance> {
    return this.options.otherwise(hostname);
  }

  stop(): Promise<void> {
    this.options.client.stop();
    return Promise.resolve();
  }

  async follow(copy: FollowedCopy, stop: AbortSignal): Promise<void> {
    const { client, journal, staleForMs } = this.options;
    const ending = new AbortController();
    const signal = AbortSignal.any([stop, ending.signal]);
    const query = new URLSearchParams({ id: journal.id, stale_ms: String(staleForMs), ...journal.position });
    const response = await client.open(`/edge/feed?${query.toString()}`, signal);
    const reader = new FeedReader(this.options, copy, (error) => ending.abort(error));
    try {
      const plain = pipeline(response, createGunzip(), () => undefined); // an error of either ends the loop
      for await (const lines of linesIn(plain)) {
        reader.heardAt = performance.now();
        for (const line of lines) await reader.take(line);
      }
      throw new Error('The feed ended.');
    } catch (error) {
      // The lease continues without the stream: the control plane waits for its end, and the next stream renews it.
      if (!stop.aborted) throw ending.signal.aborted ? ending.signal.reason : error;
      copy.distrust();
      await reader.release();
    } finally {
      reader.end();
      response.destroy();
    }
  }
}

const Secrets = z.object({ secrets: z.record(z.uuid(), z.string()) });
const Certificates = z.object({ certificates: z.array(z.object({ certificate_id: z.uuid(), sealed: z.string() })) });

/** Reads one stream: collects changes, applies them, and answers what the control plane asks for. */
class FeedReader {
  heardAt = performance.now();
  private readonly options: FeedSourceOptions;
  private readonly copy: FollowedCopy;
  private readonly fail: (error: unknown) => void;
  /** Lines whose part is not complete yet. */
  private part: string[] = [];
  private changes: AdmissionChange[] = [];
  private owners = new Map<string, string>();
  private isLoaded = false;
  /** Number of the newest batch. Each stream gets every batch from its first on. */
  private batch: number | undefined;
  private messages: Messages | undefined;
  private timer: NodeJS.Timeout | undefined;
  private renewals = 0;
  /** Times at which renewals were requested. Trust counts from then on, because the answer may have been delayed. */
  private readonly requestedAt = new Map<number, number>();

  constructor(options: FeedSourceOptions, copy: FollowedCopy, fail: (error: unknown) => void) {
    this.options = options;
    this.copy = copy;
    this.fail = fail;
  }

  /** Collects the lines of a part, and handles them when it is complete: nothing is acknowledged that is missing. */
  async take(text: string): Promise<void> {
    if (!isEnd(text)) {
      this.part.push(text);
      return;
    }
    const lines = this.part;
    this.part = [];
    if (!fits(text, lines)) throw new Error('Lines of the feed are missing, repeated or out of order.');
    for (const line of lines) await this.takeLine(line);
  }

  private async takeLine(text: string): Promise<void> {
    const line = feedLineIn(text);
    if (line === undefined) return;
    if ('change' in line) {
      if (this.changes.push(line.change) >= TOGETHER) await this.apply();
    } else await this.handle(line.control);
  }

  end(): void {
    clearInterval(this.timer);
    this.messages?.close();
  }

  /** Ends the lease early, because this process stops. */
  async release(): Promise<void> {
    clearInterval(this.timer);
    await this.messages?.end();
  }

  private async handle(control: Control): Promise<void> {
    const { journal } = this.options;
    switch (control[0]) {
      case 'hello':
        await this.begin(control[1], control[2]);
        break;
      case 'certificate':
        this.owners.set(control[1], control[2]);
        break;
      case 'loaded':
        await this.apply();
        await this.copy.loaded();
        this.isLoaded = true;
        break;
      case 'batch':
        if (this.batch !== undefined && control[1] !== this.batch + 1)
          throw new Error('Changes of the feed are missing.');
        this.batch = control[1];
        await this.apply();
        this.messages?.send({ through: control[1] });
        break;
      case 'at':
        await this.apply();
        journal.recordPosition({ epoch: control[1], after: control[2] });
        this.messages?.send({ at: control[2] });
        break;
      case 'lease':
        await this.apply();
        this.trust(control[1]);
        break;
      case 'wait':
        this.requestedAt.delete(control[1]);
        break;
      case 'drain':
        this.options.onDrain(control[1]);
    }
  }

  /** Starts over if the database is another one than before: its sequences may be lower than ours. */
  private async begin(stream: string, epoch: string): Promise<void> {
    const { client, journal } = this.options;
    if (journal.position !== undefined && journal.position.epoch !== epoch) this.copy.startOver();
    this.messages = await Messages.open(client, stream, this.fail);
    this.timer = setInterval(() => this.renew(), RENEW_EVERY_MS);
    this.renew();
  }

  private renew(): void {
    if (performance.now() - this.heardAt > SILENCE_MS) {
      this.fail(new Error('The feed is silent.'));
      return;
    }
    const count = ++this.renewals;
    this.requestedAt.set(count, performance.now());
    const status =
      count % STATUS_EVERY === 1 ? { status: { id: this.options.journal.id, ...this.options.status() } } : {};
    this.messages?.send({ renew: count, ...status });
  }

  private trust(count: number): void {
    const sentAt = this.requestedAt.get(count);
    for (const earlier of this.requestedAt.keys()) if (earlier <= count) this.requestedAt.delete(earlier);
    if (sentAt !== undefined && this.isLoaded) this.copy.trust(sentAt + TRUST_MS);
  }

  /** Fetches the keys that the changes name, then applies them. */
  private async apply(): Promise<void> {
    const { changes } = this;
    if (changes.length === 0) return;
    this.changes = [];
    const { certificates } = this.options;
    await certificates.fetch(changes, {
      certificates: (ids) => this.readCertificates(ids),
      secrets: (ids) => this.readSecrets(ids),
    });
    this.owners.clear();
    await this.copy.take(changes);
    certificates.applied();
    if (this.isLoaded) this.copy.notify(changes);
  }

  private async readCertificates(ids: readonly string[]): Promise<Map<string, string>> {
    const connections = [...new Set(ids.flatMap((id) => this.owners.get(id) ?? []))];
    if (connections.length === 0) return new Map();
    const { certificates } = Certificates.parse(
      await this.options.client.get(`/edge/certificates/${connections.join()}`),
    );
    return new Map(certificates.map(({ certificate_id, sealed }) => [certificate_id, sealed]));
  }

  private async readSecrets(ids: readonly string[]): Promise<Map<string, string>> {
    const { secrets } = Secrets.parse(await this.options.client.get(`/edge/secrets/${ids.join()}`));
    return new Map(Object.entries(secrets));
  }
}
