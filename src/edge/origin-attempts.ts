import { BoundedMap } from '../net/bounded-map.ts';
import { dialName, markedName } from './dial-name.ts';
import { OriginHealth } from './origin-health.ts';
import type { DialNames, Origin } from './origins.ts';

export type OriginEvent = 'dead' | 'retried' | 'refused';
export type RecordOrigin = (event: OriginEvent, applicationId: string) => void;

/** Far more than requests that can still be repeated: Caddy repeats one within seconds. */
const MOST_PENDING = 65_536;
const MOST_NAMES = 10_000;

interface Attempt {
  number: number;
  key: string;
  application: string;
}

/**
 * Chooses the addresses of an origin that a request tries. Caddy dials a name for the first address. If that fails and
 * there are others, it dials a second name for them, which is different for each request. The DNS query for that name
 * reports the failure: Caddy has no other way to report one after which it succeeded.
 */
export class OriginAttempts {
  private readonly health: OriginHealth;
  /** The latest attempts; the place of each is its number modulo the length. */
  private readonly pending: (Attempt | undefined)[] = [];
  private readonly names = new BoundedMap<string, string>(MOST_NAMES);
  private readonly record: RecordOrigin;
  private count = 0;

  constructor(record: RecordOrigin, health = new OriginHealth()) {
    this.record = record;
    this.health = health;
  }

  /** Returns the addresses, those that failed last. */
  order(origin: Origin, application: string): [string, ...string[]] {
    return this.health.order(origin.addresses, (address) => keyOf(application, origin, address));
  }

  /** Returns the names to dial. An edge that cannot try another name gets one with all addresses. */
  namesFor(origin: Origin, application: string, canTryAnother: boolean): DialNames {
    const owner = `${application} ${origin.name}`;
    const { addresses } = origin;
    if (addresses.length === 1 || !canTryAnother) return { first: this.nameOf(addresses, owner) };
    const [first, ...others] = this.order(origin, application);
    const number = this.count++ >>> 0;
    this.pending[number % MOST_PENDING] = { number, key: keyOf(application, origin, first), application };
    const retry = number.toString(16).padStart(8, '0');
    return { first: this.nameOf([first], owner), then: markedName(this.nameOf(others, owner), retry) };
  }

  /** Records that the first address of a request failed, by the mark in the name for its second attempt. */
  failed(retry: string, isRepeated: boolean): void {
    const number = Number.parseInt(retry, 16);
    const attempt = this.pending[number % MOST_PENDING];
    if (attempt?.number !== number) return;
    this.pending[number % MOST_PENDING] = undefined;
    if (isRepeated) this.record('retried', attempt.application);
    this.fail(attempt.key, attempt.application);
  }

  /** Records that an application's origin with a single address failed, by what Caddy dialled. */
  failedAt(dial: string, application: string): void {
    this.fail(`${application} ${dial}`, application);
  }

  private fail(key: string, application: string): void {
    if (this.health.fail(key)) this.record('dead', application);
  }

  /** Returns the name of these addresses. It is remembered, because most requests need nothing else. */
  private nameOf(addresses: readonly string[], owner: string): string {
    const key = `${addresses.join()} ${owner}`;
    const known = this.names.get(key);
    if (known !== undefined) return known;
    const name = dialName(addresses, owner);
    this.names.set(key, name);
    return name;
  }
}

/** The failures of one application do not count for another at the same address. */
const keyOf = (application: string, { name, port }: Origin, address: string): string =>
  `${application} ${name} ${address} ${port}`;
