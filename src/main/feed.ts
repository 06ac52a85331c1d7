import { portTaken } from '../api/listener.ts';
import type { Config } from '../config.ts';
import { FeedHub } from '../edge/feed/hub.ts';
import { startFeedServer } from '../edge/feed/server.ts';
import type { Logger } from '../log.ts';
import { authorityOf } from './agent-source.ts';
import type { Lifecycle } from './lifecycle.ts';

interface Place {
  host: string;
  port: number;
  tls?: { certFile: string; keyFile: string };
}

/** Feeds edges, at a listener where nothing else exists. Returns its port. */
export async function runFeed(
  config: Config,
  databaseUrl: string,
  { host, port, tls }: Place,
  log: Logger,
  lifecycle: Lifecycle,
): Promise<number> {
  const hub = lifecycle.add('feed', new FeedHub(databaseUrl, log));
  const authority = config.EDGE === 'acme' ? authorityOf(config, databaseUrl, lifecycle) : null;
  const server = await startFeedServer({ hub, authority, host, port, tls }).catch((error: unknown) => {
    throw portTaken(error, port, 'EDGE_FEED_PORT');
  });
  return lifecycle.add('feed listener', server).port;
}

/** Returns where the settings want the feed; undefined if they want none. */
export function feedPlace({
  HOST,
  EDGE_FEED_PORT,
  EDGE_FEED_CERT_FILE,
  EDGE_FEED_KEY_FILE,
}: Config): Place | undefined {
  if (EDGE_FEED_PORT === undefined) return undefined;
  const place = { host: HOST, port: EDGE_FEED_PORT };
  return EDGE_FEED_CERT_FILE === undefined || EDGE_FEED_KEY_FILE === undefined
    ? place
    : { ...place, tls: { certFile: EDGE_FEED_CERT_FILE, keyFile: EDGE_FEED_KEY_FILE } };
}
