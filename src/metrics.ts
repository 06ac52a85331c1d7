import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** Few metrics, each with a meaning an operator acts on. Labels are bounded: never a hostname, never a tenant. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    httpRequests: new Histogram({
      name: 'http_request_seconds',
      help: 'Time to answer a request, by route pattern and status class.',
      labelNames: ['method', 'route', 'status'] as const,
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    }),
    outboxOldestSeconds: new Gauge({
      name: 'outbox_oldest_seconds',
      help: 'Age of the oldest message that has not reached Temporal. Growing means Temporal or the relay is down.',
      registers,
    }),
    outboxSent: new Counter({
      name: 'outbox_sent_total',
      help: 'Messages handed to Temporal, by kind and outcome.',
      labelNames: ['kind', 'outcome'] as const,
      registers,
    }),
    looks: new Counter({
      name: 'dns_look_total',
      help: 'Looks at DNS by what they were for and how they ended.',
      labelNames: ['purpose', 'verdict'] as const,
      registers,
    }),
    staleAnswers: new Counter({
      name: 'edge_stale_answers_total',
      help: 'Requests and handshakes that an edge answered from its journal because database and API were away.',
      registers,
    }),
    noteAsk: askCounter(registers),
  };
}

/** Asks are many and quickly answered: they are counted in plain numbers, which the registry fetches when it is read. */
function askCounter(registers: Registry[]): (answer: string) => void {
  const counts = new Map<string, number>();
  new Counter({
    name: 'edge_ask_total',
    help: 'Questions of the edge whether a name may have a certificate, by answer. Many denials are a scanner.',
    labelNames: ['answer'] as const,
    registers,
    collect() {
      this.reset();
      for (const [answer, count] of counts) this.inc({ answer }, count);
    },
  });
  return (answer) => void counts.set(answer, (counts.get(answer) ?? 0) + 1);
}

export type Metrics = ReturnType<typeof createMetrics>;
