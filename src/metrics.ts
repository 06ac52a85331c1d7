import { ENDS_IN_DAYS } from './domain/certificate/certificate.ts';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/**
 * Metrics that an operator can act on. Labels have few different values: never a hostname, never a tenant. Only an agent
 * names applications, and only those whose origin fails.
 */
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
    connections: new Gauge({
      name: 'connections',
      help: 'Connections that are not archived, by state and DNS provider. One worker at a time reports it.',
      labelNames: ['state', 'provider'] as const,
      registers,
    }),
    /** Time until the connection is live; not a TTL of DNS. */
    timeToLive: new Histogram({
      name: 'connection_time_to_live_seconds',
      help: 'Time from the creation of a connection until it first serves.',
      buckets: [60, 300, 900, 3_600, 14_400, 86_400, 604_800],
      registers,
    }),
    certificates: new Gauge({
      name: 'certificates',
      help: 'Certificates of serving hostnames, by days until expiry (fewer than the label). One worker at a time reports it.',
      labelNames: ['ends_in'] as const,
      registers,
    }),
    providerCalls: new Counter({
      name: 'provider_call_total',
      help: 'Calls to DNS providers, by provider and outcome: ok, or the error code.',
      labelNames: ['provider', 'outcome'] as const,
      registers,
    }),
    /** `purpose` is the kind of check, `challenge` or `records`. The verdict is `match`, `mismatch` or `unknown`. */
    checks: new Counter({
      name: 'dns_look_total',
      help: 'DNS checks, by purpose and verdict.',
      labelNames: ['purpose', 'verdict'] as const,
      registers,
    }),
    /** The journal is an edge's copy of the admissions on disk. */
    staleAnswers: new Counter({
      name: 'edge_stale_answers_total',
      help: 'Requests and handshakes that an edge answered from its journal because the database and the API were unreachable.',
      registers,
    }),
    /** An edge is cut off while it cannot reach the database. The table is the edge's copy of the admissions. */
    edgeSilentSeconds: new Gauge({
      name: 'edge_silent_seconds',
      help: 'Time since each edge last reported. More than a few seconds means that the edge is cut off and serves its last known table.',
      labelNames: ['edge'] as const,
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'webhook_attempt_total',
      help: 'Attempts to deliver a webhook, by outcome.',
      labelNames: ['outcome'] as const,
      registers,
    }),
    webhookFirstAttempt: new Histogram({
      name: 'webhook_first_attempt_seconds',
      help: 'Time from the commit of an event to the first attempt to deliver it.',
      buckets: [0.05, 0.1, 0.2, 0.5, 1, 5, 30, 300],
      registers,
    }),
    webhookOldestPending: new Gauge({
      name: 'webhook_oldest_pending_seconds',
      help: 'Age of the oldest delivery that is still being retried. At least one receiver has failed for this long.',
      registers,
    }),
    webhookEndpointsDisabled: new Gauge({
      name: 'webhook_endpoints_disabled',
      help: 'Endpoints that the service disabled because they failed for five days or answered 410.',
      registers,
    }),
    countAsk: askCounter(registers),
    countOrigin: originCounter(registers),
  };
}

/** Counts requests to the ask endpoint in a map, because they are frequent. The registry reads the map on demand. */
function askCounter(registers: Registry[]): (answer: string) => void {
  const counts = new Map<string, number>();
  new Counter({
    name: 'edge_ask_total',
    help: 'Requests of the edge for permission to obtain a certificate, by answer. Many denials indicate a scanner.',
    labelNames: ['answer'] as const,
    registers,
    collect() {
      this.reset();
      for (const [answer, count] of counts) this.inc({ answer }, count);
    },
  });
  return (answer) => void counts.set(answer, (counts.get(answer) ?? 0) + 1);
}

/** Creates the counters of origins that fail. */
function originCounter(registers: Registry[]): (event: 'dead' | 'retried' | 'refused', application: string) => void {
  const labelNames = ['application'] as const;
  const counters = {
    dead: new Counter({
      name: 'edge_origin_dead_total',
      help: 'Times that an address of an origin failed and was left out for some seconds, by application id.',
      labelNames,
      registers,
    }),
    retried: new Counter({
      name: 'edge_origin_retries_total',
      help: "Requests that were repeated because an origin's first address failed, by application id.",
      labelNames,
      registers,
    }),
    refused: new Counter({
      name: 'edge_origin_refused_total',
      help: 'Requests that were refused because their origin had too many in progress, by application id.',
      labelNames,
      registers,
    }),
  };
  return (event, application) => counters[event].inc({ application });
}

/** Labels of the counts that `countCertificates` of src/db/connection/counts.ts returns, in the same order. */
export const CERTIFICATE_LABELS: readonly string[] = [
  'expired',
  ...ENDS_IN_DAYS.slice(1).map((days) => `${days}d`),
  'more',
];

export type Metrics = ReturnType<typeof createMetrics>;
