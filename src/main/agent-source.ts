import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ConfigError, type Config } from '../config.ts';
import type { Admittance } from '../domain/edge/admission.ts';
import type { AdmissionSource } from '../edge/admission.ts';
import type { CertificateFeed } from '../edge/certificate-feed.ts';
import { databaseKeys } from '../edge/database-keys.ts';
import { DatabaseSource } from '../edge/database-source.ts';
import type { EdgeKey } from '../edge/edge-key.ts';
import { FeedClient } from '../edge/feed/client.ts';
import type { EdgeStatus } from '../edge/feed/edge-message.ts';
import { FeedSource } from '../edge/feed/source.ts';
import type { Journal } from '../edge/journal.ts';
import type { PublicAuthority } from '../edge/public-authority.ts';
import type { Logger } from '../log.ts';
import { isLoopbackHost } from '../net/reach.ts';
import type { ListenerExchange } from '../net/own-listeners.ts';
import type { Lifecycle } from './lifecycle.ts';
import { authorityOf } from './order-authority.ts';
import { databaseExchange } from './own-listeners.ts';

interface Parts {
  config: Config;
  journal: Journal;
  key: EdgeKey;
  certificates: CertificateFeed;
  otherwise(hostname: string): Admittance | Promise<Admittance>;
  status(): Omit<EdgeStatus, 'version'>;
  onDrain(isDraining: boolean): void;
  log: Logger;
}

/** Access of an agent to the control plane: the admissions, other processes' listeners, and the limits of orders. */
export interface AgentSource {
  source: AdmissionSource;
  listeners: ListenerExchange & { close?(): Promise<void> };
  authority(): PublicAuthority;
}

/** Uses the feed if EDGE_FEED_URL is set. Otherwise the agent logs in to the database, until the next release. */
export function openAgentSource(parts: Parts, version: string, lifecycle: Lifecycle): AgentSource {
  return parts.config.EDGE_FEED_URL === undefined
    ? fromDatabase(parts, lifecycle)
    : fromFeed(parts, parts.config.EDGE_FEED_URL, version);
}

const Endpoints = z.object({ endpoints: z.array(z.string()) });
const OrderAnswer = z.object({ may_order: z.boolean() });

function fromFeed(parts: Parts, url: string, version: string): AgentSource {
  const { config, journal, key, certificates, otherwise, status, onDrain } = parts;
  const { EDGE_TOKEN: token, EDGE_FEED_CA_FILE: caFile, EDGE_STALE_FOR: staleForMs } = config;
  if (token === undefined) throw new ConfigError('EDGE_TOKEN must be the token that `edges add` printed.');
  if (url.startsWith('http:') && !isLoopbackHost(new URL(url).hostname))
    throw new ConfigError('EDGE_FEED_URL must begin with https://, unless it is on the loopback address.');
  const client = new FeedClient({ url, token, key, caFile });
  const process = randomUUID();
  const swap = async (endpoints: readonly string[] | null): Promise<readonly string[]> =>
    Endpoints.parse(await client.post('/edge/listeners', { process, endpoints })).endpoints;
  return {
    source: new FeedSource({
      client,
      journal,
      certificates,
      staleForMs,
      otherwise,
      status: () => ({ version, ...status() }),
      onDrain,
    }),
    listeners: { swap, withdraw: () => swap(null).then(() => undefined) },
    authority: () => ({
      mayOrder: async (hostname) => OrderAnswer.parse(await client.post('/edge/orders', { hostname })).may_order,
    }),
  };
}

function fromDatabase(
  { config, journal, key, certificates, otherwise, log }: Parts,
  lifecycle: Lifecycle,
): AgentSource {
  const databaseUrl = config.API_DATABASE_URL ?? config.DATABASE_URL;
  if (databaseUrl === undefined) throw new ConfigError('EDGE_FEED_URL must be the address of the feed.');
  log.warn('This agent logs in to the database. The next release needs EDGE_FEED_URL instead: see docs/edge.md.');
  return {
    source: new DatabaseSource(databaseUrl, {
      otherwise,
      edge: { id: journal.id, name: config.EDGE_ID, staleForMs: config.EDGE_STALE_FOR },
      keys: databaseKeys({ token: config.EDGE_TOKEN, key, certificates, log }),
    }),
    listeners: databaseExchange(databaseUrl),
    authority: () => authorityOf(config, databaseUrl, lifecycle),
  };
}
