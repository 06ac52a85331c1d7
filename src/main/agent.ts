import { join } from 'node:path';
import type { Config } from '../config.ts';
import { portTaken } from '../api/listener.ts';
import { Admission } from '../edge/admission.ts';
import { AnswerGeneration } from '../edge/answer-generation.ts';
import { adminSockets, Changeover } from '../edge/changeover.ts';
import { CertificateFeed } from '../edge/certificate-feed.ts';
import { CutOff } from '../edge/cut-off.ts';
import { startDialResponder } from '../edge/dial-responder.ts';
import { keptListeners } from '../edge/kept-listeners.ts';
import { Journal } from '../edge/journal.ts';
import { OriginAttempts } from '../edge/origin-attempts.ts';
import { limitedPages } from '../edge/page-log.ts';
import { RequestsInProgress } from '../edge/requests-in-progress.ts';
import type { Reply } from '../edge/question.ts';
import { listenForQuestions } from '../edge/question-listener.ts';
import { createLog, type Logger } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import { dialPolicies } from './dial-policies.ts';
import { openAgentSource } from './agent-source.ts';
import { answerCertificates, openEdgeCertificates, type EdgeCertificates } from './edge-certificates.ts';
import { answerEdge } from './edge-questions.ts';
import type { Lifecycle } from './lifecycle.ts';
import { edgePorts, openOwnListeners } from './own-listeners.ts';
import { releaseVersion } from '../release-version.ts';

/** Runs the agent next to an edge, from a copy on disk, so that sites stay up while database and API are down. */
export async function runAgent(config: Config, lifecycle: Lifecycle): Promise<void> {
  const log = createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, name: 'edge agent' });
  const metrics = createMetrics();
  const folder = config.EDGE_AGENT_DIR ?? join(process.cwd(), 'edge-agent');
  const journal = await Journal.open(folder);
  lifecycle.add('journal', { stop: () => journal.close() });
  const own = await openEdgeCertificates(config, folder, log);
  const { key, store, signing } = own;
  const cutOff = lifecycle.add(
    'probe',
    new CutOff({
      journal,
      apiUrl: config.EDGE_API_URL ?? null,
      staleForMs: config.EDGE_STALE_FOR,
      recordStale: () => metrics.staleAnswers.inc(),
    }),
  );
  const certificateFeed = certificateFeedOf(config, journal, own, lifecycle, log);
  let visitedAt = Date.now();
  let isDraining = false;
  const control = openAgentSource(
    {
      config,
      journal,
      key,
      certificates: certificateFeed,
      otherwise: cutOff.lookup,
      status: () => ({ names: journal.size, certificates: store.size, idleMs: Date.now() - visitedAt }),
      onDrain: (drains) => (isDraining = drains),
      log,
    },
    releaseVersion(),
    lifecycle,
  );
  const generation = generationOf(config, lifecycle);
  const admission = lifecycle.add('admission table', new Admission(control.source, log, journal, generation));
  const table = {
    lookup: (hostname: string) => admission.lookup(hostname),
    certificateOf: (hostname: string) => journal.certificateOf(hostname, admission.isTrusted),
  };
  const certificates = await answerCertificates(config, config.EDGE_CERT_PORT, table, store, lifecycle);
  lifecycle.add('unused keys', tidying(journal, own));
  const listeners = await openOwnListeners(config, lifecycle, {
    exchange: { ...control.listeners, ...keptListeners(control.listeners, join(folder, 'listeners.json')) },
    onError: (error) => log.warn({ err: error }, 'Listeners of other processes could not be read.'),
  });
  const ports = [
    config.EDGE_AGENT_PORT,
    config.EDGE_AGENT_DNS_PORT,
    config.EDGE_CERT_PORT,
    config.EDGE_ANSWERER_PORT,
    config.EDGE_ANSWERER_CERT_PORT,
  ];
  listeners.listensOn(...ports, ...edgePorts(config));
  const attempts = new OriginAttempts(metrics.countOrigin);
  const internal = answerEdge(config, admission, lifecycle, {
    authority: () => control.authority(),
    checkedAddresses: journal,
    attempts,
    inProgress: new RequestsInProgress(config.EDGE_ORIGIN_REQUESTS),
    recordOrigin: metrics.countOrigin,
    recordPage: limitedPages((page) => log.info(page, 'A visitor got a page of the edge.')),
    recordAsk: metrics.countAsk,
    holdsCertificate: (hostname) => certificates.holds(hostname),
    originDial: dialPolicies(config, listeners).origins,
    signingKeys: signing,
    ...(generation && { generation }),
  });
  const onRetry = (retry: string) => attempts.failed(retry, true);
  const dns = await startDialResponder(config.EDGE_AGENT_HOST, config.EDGE_AGENT_DNS_PORT, onRetry);
  lifecycle.add('dial responder', dns);
  const { registry } = metrics;
  const listener = await listenForQuestions(
    (request, response) => {
      if (request.url?.startsWith('/internal/route') === true) visitedAt = Date.now();
      if (internal(request, response)) return;
      if (request.url === '/healthz') void answerHealth(response, admission, cutOff, isDraining);
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
function certificateFeedOf(
  config: Config,
  journal: Journal,
  { store, signing }: EdgeCertificates,
  lifecycle: Lifecycle,
  log: Logger,
) {
  const sockets = adminSockets(config.EDGE_ADMIN);
  const changeover = sockets.length === 0 ? undefined : lifecycle.add('changeover', new Changeover({ sockets, log }));
  const certificateOf = (hostname: string) => journal.certificateOf(hostname, true);
  return new CertificateFeed({ store, signing, certificateOf, changeover });
}

/** Creates the generation of answers for a Caddy with our module. */
function generationOf({ EDGE_GENERATION_FILE: path }: Config, lifecycle: Lifecycle): AnswerGeneration | undefined {
  return path === undefined ? undefined : lifecycle.add('generation of answers', new AnswerGeneration(path));
}

const TIDY_EVERY_MS = 60_000;

/** Deletes certificates and signing keys that are not used any more, once a minute. */
function tidying(journal: Journal, { store, signing }: EdgeCertificates): { stop(): Promise<void> } {
  const tidy = async () => {
    await store.keepOnly(journal.certificateIds());
    await signing.keepOnly(journal.secretIds());
  };
  const timer = setInterval(() => void tidy().catch(() => undefined), TIDY_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return Promise.resolve();
    },
  };
}

/** Reports healthy if visitors can be served, and not while draining, so that a balancer sends no more of them. */
async function answerHealth(response: Reply, admission: Admission, cutOff: CutOff, draining: boolean): Promise<void> {
  const { isTrusted: trusted, size: names } = admission;
  const isHealthy = !draining && (trusted || (await cutOff.canAnswer()));
  response
    .writeHead(isHealthy ? 200 : 503, { 'content-type': 'application/json' })
    .end(JSON.stringify({ trusted, names, draining }));
}
