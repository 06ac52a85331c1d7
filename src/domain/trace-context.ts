/** A span's place in its trace. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  /** Whether the trace is exported. */
  sampled: boolean;
}

const TRACEPARENT = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;

/** Parses the header `traceparent` (W3C Trace Context). Returns null for any other text. */
export function parseTraceparent(text: string | null | undefined): TraceContext | null {
  const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const traceparentOf = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

/** Header of Temporal that carries traces. Temporal's own interceptors use the same name and the same `traceparent`. */
export const TRACE_HEADER = '_tracer-data';

/** Trace contexts that travel with a Temporal call, each as `traceparent`. */
export interface TraceCarrier {
  /** The span that caused the call. */
  traceparent?: string;
  /** The trace in which the connection was created. Later traces have a link to it. */
  first?: string;
  /** Whether the connection has been live, so that the work belongs to a trace of its own. */
  later?: true;
  /** The cause of each delivery, by its id, where several share a call. */
  each?: Record<string, string>;
}

/** Temporal's id of a run is random, so its last digits identify the run's span. A replay finds the same span. */
export const spanIdOfRun = (runId: string): string => runId.replaceAll('-', '').slice(-16);

/** The span of a workflow run, which the workflow reports when the span ends. */
export interface WorkflowSpan {
  traceparent: string;
  /** Id of the span that started the run. */
  parentId: string;
  workflow: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
}
