import { portTaken } from '../api/listener.ts';
import type { Config } from '../config.ts';
import { FeedHub } from '../edge/feed/hub.ts';
import type { SharedChanges } from '../edge/shared-changes.ts';
import { startFeedServer } from '../edge/feed/server.ts';
import type { Logger } from '../log.ts';
import type { Lifecycle } from './lifecycle.ts';
import { authorityOf } from './order-authority.ts';

interface FeedAddress {
  host: string;
  port: number;
  tls?: { certFile: string; keyFile: string };
}

/** Feeds edges, at a listener where nothing else exists. Returns its port. */
export async function runFeed(
  config: Config,
  databaseUrl: string,
  { host, port, tls }: FeedAddress,
  log: Logger,
  lifecycle: Lifecycle,
  changes: SharedChanges,
): Promise<number> {
  const hub = lifecycle.add('feed', new FeedHub(databaseUrl, log, changes));
  const authority = config.EDGE === 'acme' ? authorityOf(config, databaseUrl, lifecycle) : null;
  const server = await startFeedServer({ hub, authority, host, port, tls }).catch((error: unknown) => {
    throw portTaken(error, port, 'EDGE_FEED_PORT');
  });
  return lifecycle.add('feed listener', server).port;
}

/** Returns where the settings want the feed; undefined if they want none. */
export function feedAddress({
  HOST,
  EDGE_FEED_PORT,
  EDGE_FEED_CERT_FILE,
  EDGE_FEED_KEY_FILE,
}: Config): FeedAddress | undefined {
  if (EDGE_FEED_PORT === undefined) return undefined;
  const address = { host: HOST, port: EDGE_FEED_PORT };
  return EDGE_FEED_CERT_FILE === undefined || EDGE_FEED_KEY_FILE === undefined
    ? address
    : { ...address, tls: { certFile: EDGE_FEED_CERT_FILE, keyFile: EDGE_FEED_KEY_FILE } };
}
