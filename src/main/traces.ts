import { createLog } from '../log.ts';
import type { Config } from '../config.ts';
import type { Observer } from '../domain/observation/observer.ts';
import type { HttpOptions } from '../providers/toolkit/http.ts';
import { currentTrace, inSpan, isTracing, startTracing } from '../telemetry/tracing.ts';
import type { WebhookSender } from '../webhooks/send.ts';
import type { Lifecycle } from './lifecycle.ts';
import { releaseVersion } from '../release-version.ts';

/** Time limit for the last spans when the process stops. A receiver that is down does not delay the stop any longer. */
const FLUSH_MS = 2_000;

/** Switches traces on if they are configured. Call this function first, so that traces end after all other parts. */
export async function openTraces(
  env: NodeJS.ProcessEnv,
  config: Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'>,
  name: string,
  lifecycle: Lifecycle,
): Promise<void> {
  const log = createLog({ level: config.LOG_LEVEL, format: config.LOG_FORMAT, name: 'traces' });
  const service = `domain-connection-${name}`;
  const tracer = await startTracing(env, {
    service,
    version: releaseVersion(),
    onProblem: (sentence) => log.warn(sentence),
  });
  if (tracer === null) return;
  const stop = async () => {
    if (await tracer.stop(FLUSH_MS)) return;
    // An export that still waits for its receiver would keep the process alive. The last lines of the log get a moment.
    setTimeout(() => process.exit(), 50).unref();
  };
  lifecycle.add('traces', { stop });
}

/** Observations of DNS, each in a span. */
export function tracedObserver(observer: Observer): Observer {
  if (!isTracing()) return observer;
  const traced = (query: string, observe: (...asked: never[]) => Promise<unknown>) =>
    ((...asked: never[]) => inSpan('dns', { 'svc.query': query }, () => observe(...asked))) as never;
  return {
    ...observer,
    observeChallenge: traced('challenge', observer.observeChallenge),
    observeCname: traced('cname', observer.observeCname),
    observeRecords: traced('records', observer.observeRecords),
    observeDomain: traced('domain', observer.observeDomain),
    observeZone: traced('zone', observer.observeZone),
    observeWildcard: traced('wildcard', observer.observeWildcard),
    observeOffer: traced('offer', observer.observeOffer),
    caa: traced('caa', observer.caa),
    dnssec: traced('dnssec', observer.dnssec),
  };
}

/** Requests to providers, each in a span. */
export const tracedProviderCalls = (): Pick<HttpOptions, 'around'> =>
  isTracing()
    ? {
        around: ({ provider, method }, exchange) =>
          inSpan('provider', { 'svc.provider': provider, 'http.request.method': method }, async (span) => {
            const answer = await exchange();
            span?.set({ 'http.response.status_code': answer.status });
            return answer;
          }),
      }
    : {};

/** Attempts at deliveries, each in a span of the trace in which its event happened. */
export function tracedSender(sender: WebhookSender): WebhookSender {
  if (!isTracing()) return sender;
  return {
    ...sender,
    send(request) {
      const id = request.headers['x-svc-delivery-id'];
      const attributes = { 'svc.object_id': id, 'svc.attempt': Number(request.headers['x-svc-attempt']) };
      const cause = currentTrace(id);
      return inSpan(
        'webhook',
        attributes,
        async (span) => {
          const sent = await sender.send(request);
          span?.set({ 'svc.outcome': sent.outcome, 'http.response.status_code': sent.statusCode ?? undefined });
          if (sent.outcome !== 'delivered') span?.fail({ code: sent.outcome });
          return sent;
        },
        { parent: cause, links: [currentTrace()] },
      );
    },
  };
}
