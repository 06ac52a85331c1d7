import { AsyncLocalStorage } from 'node:async_hooks';
import {
  parseTraceparent,
  traceparentOf,
  type TraceCarrier,
  type TraceContext,
  type WorkflowSpan,
} from '../domain/trace-context.ts';
import type { Attributes, SpanType } from './attributes.ts';
import { tracingSettings } from './settings.ts';
import type { Span, Tracer } from './tracer.ts';

/** The span in whose course the code runs, and the contexts that its Temporal calls carry. */
interface Active {
  span: Span;
  carrier: Pick<TraceCarrier, 'first' | 'each'>;
}

const active = new AsyncLocalStorage<Active>();
let tracer: Tracer | null = null;

/** Switches traces on if the settings name a receiver. Without one, nothing of OpenTelemetry's SDK is loaded. */
export async function startTracing(
  env: Readonly<Record<string, string | undefined>>,
  options: { service: string; version: string; onProblem(sentence: string): void },
): Promise<Tracer | null> {
  const settings = tracingSettings(env);
  if (settings === null) return null;
  const { openTracer } = await import('./sdk.ts');
  tracer = openTracer(settings, options);
  return tracer;
}

export const isTracing = (): boolean => tracer !== null;

/** Where a span belongs: below a parent, or at the beginning of a trace. Default: below the active span. */
export interface Place {
  /** `traceparent` of the parent; null begins a trace. */
  parent?: string | null | undefined;
  /** `traceparent` of spans in other traces. */
  links?: readonly (string | null | undefined)[];
  carrier?: Active['carrier'];
}

/** A span, and the way to run code in its course. */
export interface OpenSpan extends Span {
  run<T>(work: () => T): T;
}

/** Begins a span that the caller ends; null while traces are off. */
export function beginSpan(type: SpanType, attributes: Attributes, place: Place = {}): OpenSpan | null {
  if (tracer === null) return null;
  const above = active.getStore();
  const parent = place.parent === undefined ? (above?.span.context ?? null) : parseTraceparent(place.parent);
  const links = (place.links ?? [])
    .map(parseTraceparent)
    .filter((link) => link !== null && link.traceId !== parent?.traceId) as TraceContext[];
  const span = tracer.begin(type, attributes, { parent, links });
  const carrier = place.carrier ?? above?.carrier ?? {};
  return { ...span, run: (work) => active.run({ span, carrier }, work) };
}

/** Runs the work in a span, or without one while traces are off. */
export async function inSpan<T>(
  type: SpanType,
  attributes: Attributes,
  work: (span: Span | null) => Promise<T>,
  place?: Place,
): Promise<T> {
  const span = beginSpan(type, attributes, place);
  if (span === null) return work(null);
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/** Returns `traceparent` of the active span, or of this delivery where a call carries several; null while off. */
export function currentTrace(deliveryId?: string): string | null {
  const store = active.getStore();
  if (store === undefined) return null;
  return (deliveryId === undefined ? undefined : store.carrier.each?.[deliveryId]) ?? traceparentOf(store.span.context);
}

/** Returns the contexts that a Temporal call carries; null without an active span. */
export function currentCarrier(): TraceCarrier | null {
  const store = active.getStore();
  return store === undefined ? null : { ...store.carrier, traceparent: traceparentOf(store.span.context) };
}

/** Exports the span of a workflow run, if traces are on in this process. */
export const recordWorkflow = (span: WorkflowSpan): void => tracer?.record(span);

/** Fields that every line of the log has while a span is active. */
export const traceFields = (): { trace_id?: string } => {
  const store = active.getStore();
  return store === undefined ? {} : { trace_id: store.span.context.traceId };
};
