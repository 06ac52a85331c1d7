import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Link,
  type SpanContext,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { parseTraceparent, type TraceContext } from '../domain/trace-context.ts';
import { allowed, spanName, SPANS, type Attributes } from './attributes.ts';
import type { TracingSettings } from './settings.ts';
import type { Span, Tracer } from './tracer.ts';

interface TracerOptions {
  service: string;
  version: string;
  onProblem(sentence: string): void;
}

/**
 * Opens the SDK with a tracer provider of our own. It is not registered globally, because libraries would add spans that
 * contain SQL and its values.
 */
export function openTracer(settings: TracingSettings, { service, version, onProblem }: TracerOptions): Tracer {
  const ids = new RunIds();
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come before our own names.
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }).merge(
      detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }),
    ),
    sampler: samplerOf(settings),
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reporting(new OTLPTraceExporter(), onProblem),
        scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY,
        maxQueueSize: settings.OTEL_BSP_MAX_QUEUE_SIZE,
        maxExportBatchSize: settings.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
        exportTimeoutMillis: settings.OTEL_BSP_EXPORT_TIMEOUT,
      }),
    ],
  });
  const tracer = provider.getTracer('domain-connection-service', version);
  return {
    begin(type, attributes, { parent, links }) {
      const options = {
        kind: SpanKind[SPANS[type].kind],
        attributes: allowed(attributes),
        links: links.map((link): Link => ({ context: spanContextOf(link) })),
      };
      const span = tracer.startSpan(spanName(type, attributes), options, below(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      const known: Attributes = { ...attributes };
      return {
        context: { traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 },
        set(more) {
          span.setAttributes(allowed(more)).updateName(spanName(type, Object.assign(known, more)));
        },
        fail(error) {
          span.setAttributes(allowed({ 'error.type': errorType(error) })).setStatus({ code: SpanStatusCode.ERROR });
        },
        end: () => span.end(),
      } satisfies Span;
    },
    record({ traceparent, parentId, workflow, startedAt, endedAt }) {
      const run = parseTraceparent(traceparent);
      if (run === null) return;
      const attributes = { 'svc.workflow': workflow };
      const options = { kind: SpanKind.CONSUMER, attributes: allowed(attributes), startTime: startedAt };
      ids.use(run.spanId, () =>
        tracer
          .startSpan(spanName('workflow', attributes), options, below({ ...run, spanId: parentId }))
          .end(Math.max(startedAt, endedAt)),
      );
    },
    stop: (limitMs) =>
      Promise.race([
        provider.shutdown().then(
          () => true,
          () => true,
        ),
        new Promise<false>((resolve) => void setTimeout(() => resolve(false), limitMs).unref()),
      ]),
  };
}

const spanContextOf = ({ traceId, spanId, sampled }: TraceContext): SpanContext => ({
  traceId,
  spanId,
  traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
});

const below = (parent: TraceContext | null): Context =>
  parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent));

/** Random ids, except for the span of a workflow run: activities named that span as their parent before it ended. */
class RunIds extends RandomIdGenerator {
  private chosen: string | undefined;

  override generateSpanId(): string {
    return this.chosen ?? super.generateSpanId();
  }

  use(spanId: string, begin: () => void): void {
    this.chosen = spanId;
    try {
      begin();
    } finally {
      this.chosen = undefined;
    }
  }
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: TracingSettings): Sampler {
  const root = name.endsWith('always_on')
    ? new AlwaysOnSampler()
    : name.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** Code of a successful export. */
const SUCCESS = 0;

/** Reports the first failed export after a successful one. Failed exports change nothing else. */
function reporting(exporter: SpanExporter, onProblem: (sentence: string) => void): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = (result.code as number) !== SUCCESS;
        if (failed && !isFailing) onProblem('The receiver of traces does not take them; they are lost meanwhile.');
        if (!failed && isFailing) onProblem('The receiver of traces takes them again.');
        isFailing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

/** Returns an error's code, else its class. */
function errorType(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return [code, name].find((text) => typeof text === 'string') ?? 'Error';
}
