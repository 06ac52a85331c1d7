import { join } from 'node:path';
import { portTaken } from '../api/listener.ts';
import type { Config } from '../config.ts';
import { askHandler } from '../edge/ask.ts';
import { UNKNOWN_NAME } from '../domain/edge/admission.ts';
import { NOTE_TRUST_EVERY_MS } from '../edge/journal.ts';
import { JournalFollower } from '../edge/journal-follower.ts';
import { LastKnown } from '../edge/last-known.ts';
import { parseAsk } from '../edge/query.ts';
import { listenForQuestions } from '../edge/question-listener.ts';
import { createLog } from '../log.ts';
import { answerCertificates, openEdgeCertificates } from './edge-certificates.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Runs the second answerer: it reads the agent's folder, and answers at handshakes while the agent is down. */
export async function runAnswerer(config: Config, lifecycle: Lifecycle): Promise<void> {
  const log = createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, name: 'edge answerer' });
  const folder = config.EDGE_AGENT_DIR ?? join(process.cwd(), 'edge-agent');
  const { store } = await openEdgeCertificates(config, folder, log);
  const journal = new JournalFollower(folder);
  const lastKnown = new LastKnown({ journal, staleForMs: config.EDGE_STALE_FOR });
  const isAgentTrusted = () => Date.now() - (journal.trustedAt ?? 0) < 2 * NOTE_TRUST_EVERY_MS;
  const table = {
    lookup: (hostname: string) => (lastKnown.isFresh() ? journal.lookup(hostname) : UNKNOWN_NAME),
    // Caddy asks here after each "none" of the agent too, which must stay the answer as long as the agent is trusted.
    certificateOf: (hostname: string) => journal.certificateOf(hostname, isAgentTrusted()),
  };
  const certificates = await answerCertificates(config, config.EDGE_ANSWERER_CERT_PORT, table, store, lifecycle);
  const ask = askHandler(
    { standingOf: (hostname) => lastKnown.lookup(hostname).then(({ own }) => own) },
    {
      sandboxNames: 'admitted',
      // Only hostnames that were serving are allowed, and their orders were counted.
      authority: null,
      holdsCertificate: (hostname) => certificates.holds(hostname),
      recordAsk: () => undefined,
    },
  );
  const listener = await listenForQuestions(
    (request, response) => {
      const [path, query] = (request.url ?? '').split('?', 2);
      if (path === '/internal/ask') ask(request, response, parseAsk(query ?? ''));
      else response.writeHead(path === '/healthz' ? 200 : 404).end();
    },
    config.EDGE_AGENT_HOST,
    config.EDGE_ANSWERER_PORT,
  ).catch((error: unknown) => {
    throw portTaken(error, config.EDGE_ANSWERER_PORT, 'EDGE_ANSWERER_PORT');
  });
  const { port } = lifecycle.add('listener', listener);
  log.info({ port }, 'The second answerer is ready.');
}
