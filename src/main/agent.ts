import { join } from 'node:path';
import { ConfigError, type Config } from '../config.ts';
import { createPool, type Pool } from '../db/pool.ts';
import { portTaken } from '../api/listener.ts';
import { registrableDomain } from '../dns/suffix.ts';
import { Admission } from '../edge/admission.ts';
import { adminSocket, Changeover } from '../edge/changeover.ts';
import { CertificateFeed } from '../edge/certificate-feed.ts';
import { CutOff } from '../edge/cut-off.ts';
import { startDialResponder } from '../edge/dial-responder.ts';
import { keptListeners } from '../edge/kept-listeners.ts';
import { Journal } from '../edge/journal.ts';
import type { KeyStore } from '../edge/key-store.ts';
import { publicAuthority, type PublicAuthority } from '../edge/public-authority.ts';
import type { Reply } from '../edge/question.ts';
import { listenForQuestions } from '../edge/question-listener.ts';
import { createLog, type Logger } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import { dialPolicies } from './dial-policies.ts';
import { answerCertificates, openEdgeCertificates, type EdgeCertificates } from './edge-certificates.ts';
import { answerEdge } from './edge-questions.ts';
import type { Lifecycle } from './lifecycle.ts';
import { edgePorts, openOwnListeners } from './own-listeners.ts';

/** Runs the agent next to an edge, from a copy on disk, so that sites stay up while database and API are down. */
export async function runAgent(config: Config, lifecycle: Lifecycle): Promise<void> {
  const databaseUrl = config.API_DATABASE_URL ?? config.DATABASE_URL;
  if (databaseUrl === undefined) throw new ConfigError('API_DATABASE_URL must name the database.');
  const log = createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, name: 'edge agent' });
  const metrics = createMetrics();
  const folder = config.EDGE_AGENT_DIR ?? join(process.cwd(), 'edge-agent');
  const journal = await Journal.open(folder);
  lifecycle.add('journal', { stop: () => journal.close() });
  const { key, store } = await openEdgeCertificates(config, folder, log);
  const cutOff = lifecycle.add(
    'probe',
    new CutOff({
      journal,
      apiUrl: config.EDGE_API_URL ?? null,
      staleForMs: config.EDGE_STALE_FOR,
      recordStale: () => metrics.staleAnswers.inc(),
    }),
  );
  const admission = lifecycle.add(
    'admission table',
    new Admission(databaseUrl, log, {
      store: journal,
      otherwise: cutOff.lookup,
      edge: { id: journal.id, name: config.EDGE_ID, staleForMs: config.EDGE_STALE_FOR },
      keys: feedOf(config, journal, { key, store }, lifecycle, log),
    }),
  );
  const table = {
    lookup: (hostname: string) => admission.lookup(hostname),
    certificateOf: (hostname: string) => journal.certificateOf(hostname, admission.isTrusted),
  };
  const certificates = await answerCertificates(config, config.EDGE_CERT_PORT, table, store, lifecycle);
  lifecycle.add('unused certificates', tidying(journal, store));
  const own = await openOwnListeners(config, lifecycle, {
    databaseUrl,
    keptBy: (exchange) => keptListeners(exchange, join(folder, 'listeners.json')),
    onError: (error) => log.warn({ err: error }, 'Listeners of other processes could not be read.'),
  });
  const ports = [
    config.EDGE_AGENT_PORT,
    config.EDGE_AGENT_DNS_PORT,
    config.EDGE_CERT_PORT,
    config.EDGE_ANSWERER_PORT,
    config.EDGE_ANSWERER_CERT_PORT,
  ];
  own.listensOn(...ports, ...edgePorts(config));
  const internal = answerEdge(config, admission, lifecycle, {
    authority: () => authorityOf(config, databaseUrl, lifecycle),
    checkedAddresses: journal,
    dialNames: true,
    recordAsk: metrics.countAsk,
    holdsCertificate: (hostname) => certificates.holds(hostname),
    originDial: dialPolicies(config, own).origins,
  });
  lifecycle.add('dial responder', await startDialResponder(config.EDGE_AGENT_HOST, config.EDGE_AGENT_DNS_PORT));
  const { registry } = metrics;
  const listener = await listenForQuestions(
    (request, response) => {
      if (internal(request, response)) return;
      if (request.url === '/healthz') void answerHealth(response, admission, cutOff);
      else if (request.url === '/metrics') {
        void registry
          .metrics()
          .then((text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text));
      } else response.writeHead(404).end();
    },
    config.EDGE_AGENT_HOST,
    config.EDGE_AGENT_PORT,
  ).catch((error: unknown) => {
    throw portTaken(error, config.EDGE_AGENT_PORT, 'EDGE_AGENT_PORT');
  });
  lifecycle.add('listener', listener);
  log.info({ port: listener.port, names: admission.size }, 'The edge agent is ready.');
}

/** Creates the receiver of keys. It changes hostnames over immediately where Caddy's admin API is on a socket. */
function feedOf(config: Config, journal: Journal, own: EdgeCertificates, lifecycle: Lifecycle, log: Logger) {
  const socket = adminSocket(config.EDGE_ADMIN);
  const changeover = socket === undefined ? undefined : lifecycle.add('changeover', new Changeover({ socket, log }));
  const certificateOf = (hostname: string) => journal.certificateOf(hostname, true);
  return new CertificateFeed({ token: config.EDGE_TOKEN, ...own, certificateOf, changeover, log });
}

const TIDY_EVERY_MS = 60_000;

/** Deletes certificates that no hostname uses any more, once a minute. */
function tidying(journal: Journal, store: KeyStore): { stop(): Promise<void> } {
  const timer = setInterval(() => void store.keepOnly(journal.certificateIds()).catch(() => undefined), TIDY_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return Promise.resolve();
    },
  };
}

/** Reports healthy if visitors can be served: from the table, by the API, or from the last known state. */
async function answerHealth(response: Reply, admission: Admission, cutOff: CutOff): Promise<void> {
  const { isTrusted: trusted, size: names } = admission;
  const isHealthy = trusted || (await cutOff.canAnswer());
  response
    .writeHead(isHealthy ? 200 : 503, { 'content-type': 'application/json' })
    .end(JSON.stringify({ trusted, names }));
}

/** Opens the database at the first order, because orders are counted there and the agent must start without it. */
function authorityOf(config: Config, databaseUrl: string, lifecycle: Lifecycle): PublicAuthority {
  let opened: Promise<Pool> | undefined;
  lifecycle.add('database', { stop: async () => (await opened?.catch(() => undefined))?.end() });
  const open = (): Promise<Pool> => {
    const opening = createPool(databaseUrl, { max: 2, name: 'edge agent', serves: 'requests' });
    opening.catch(() => (opened = undefined));
    return opening;
  };
  return {
    async mayOrder(hostname) {
      const pool = await (opened ??= open());
      return publicAuthority(pool, config.acmeDirectories, registrableDomain).mayOrder(hostname);
    },
  };
}
