import { networkInterfaces } from 'node:os';
import { lookup } from 'node:dns/promises';
import { canonicalAddress, destinationsOf, isLocalAddress, isPublicAddress } from './address.ts';
import type { OwnListeners } from './safe-dial.ts';

/** A server of this service on another host, or on a host that we know only by its configured name. */
export interface ConfiguredHost {
  host: string;
  /** `*` means every port, if the whole host belongs to this service. */
  port: number | '*';
  /** Set for websites, whose public addresses may be those of a CDN that other sites share; these are not refused. */
  isSite?: boolean;
}

/** Exchanges the listeners of all processes, as `address port`. */
export interface ListenerExchange {
  /** Publishes the listeners of this process and returns those of all processes. */
  swap(own: readonly string[]): Promise<readonly string[]>;
  withdraw(): Promise<void>;
}

const LOOKUP_LIMIT_MS = 2_000;
const REFRESH_EVERY_MS = 5_000;

/** Listeners of this service by resolved address and port. A port of this machine counts on each of its addresses. */
export class ListenerTable implements OwnListeners {
  private readonly hosts: readonly ConfiguredHost[];
  private readonly exchange: ListenerExchange | null;
  private readonly onError: (error: unknown) => void;
  private readonly ownPorts = new Set<number>();
  private readonly resolved = new Map<ConfiguredHost, readonly string[]>();
  private published: readonly string[] = [];
  private here: ReadonlySet<string> = new Set(interfaceAddresses());
  private ports: ReadonlySet<number> = new Set();
  private endpoints: ReadonlySet<string> = new Set();
  private timer: NodeJS.Timeout | undefined;
  private refreshing: Promise<void> = Promise.resolve();

  constructor(
    hosts: readonly ConfiguredHost[],
    exchange: ListenerExchange | null = null,
    onError: (error: unknown) => void = () => undefined,
  ) {
    this.hosts = hosts;
    this.exchange = exchange;
    this.onError = onError;
  }

  /** Adds ports on which this machine listens for the service. Other processes learn them at the next refresh. */
  listensOn(...ports: readonly number[]): void {
    for (const port of ports) this.ownPorts.add(port);
    this.fill();
  }

  isOwn(address: string, port: number): boolean {
    return destinationsOf(address).some(
      (destination) =>
        this.endpoints.has(endpointOf(destination, port)) ||
        this.endpoints.has(endpointOf(destination, '*')) ||
        (this.ports.has(port) && this.isHere(destination)),
    );
  }

  /** Resolves when the table is filled for the first time. After that, the table refreshes itself. */
  async start(): Promise<this> {
    await this.refresh();
    this.timer = setInterval(() => {
      this.refreshing = this.refresh();
    }, REFRESH_EVERY_MS).unref();
    return this;
  }

  /** Resolves configured hosts again and exchanges listeners with the other processes. */
  async refresh(): Promise<void> {
    this.here = new Set(interfaceAddresses());
    await Promise.all(this.hosts.map((host) => this.resolve(host)));
    this.fill(); // before the exchange, which may not answer
    try {
      this.published = (await this.exchange?.swap(this.own())) ?? [];
      this.fill();
    } catch (error) {
      this.onError(error);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.refreshing;
    await this.exchange?.withdraw().catch(this.onError);
  }

  private own(): string[] {
    const here = [LOOPBACK, ...this.here];
    const listeners = [...this.ownPorts].flatMap((port) => here.map((address) => endpointOf(address, port)));
    return [...new Set([...this.resolved.values()].flat().concat(listeners))].toSorted();
  }

  private fill(): void {
    const all = [...this.own(), ...this.published];
    const here = all.map((endpoint) => endpoint.split(' ')).filter(([address = '']) => this.isHere(address));
    this.endpoints = new Set(all);
    this.ports = new Set(here.map(([, port]) => Number(port)));
  }

  private isHere(address: string): boolean {
    return isLocalAddress(address) || this.here.has(address);
  }

  /** Resolves a configured host. On failure the previous addresses stay. */
  private async resolve(configured: ConfiguredHost): Promise<void> {
    const { host, port, isSite = false } = configured;
    const answers = await inTime(lookup(host, { all: true })).catch(() => undefined);
    if (answers === undefined) return;
    const addresses = answers.map(({ address }) => address).filter((address) => !(isSite && isPublicAddress(address)));
    this.resolved.set(
      configured,
      addresses.map((address) => endpointOf(address, port)),
    );
  }
}

/** Published for processes on this machine. On another machine it refuses a port that no tenant needs there. */
const LOOPBACK = '127.0.0.1';

const endpointOf = (address: string, port: number | '*'): string => `${canonicalAddress(address)} ${port}`;

const interfaceAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => canonicalAddress(address)));

function inTime<T>(answer: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const limit = setTimeout(() => late.resolve(undefined), LOOKUP_LIMIT_MS);
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(limit));
}
