import type { TraceContext, WorkflowSpan } from '../domain/trace-context.ts';
import type { Attributes, SpanType } from './attributes.ts';

/** A span that has begun. */
export interface Span {
  context: TraceContext;
  set(attributes: Attributes): void;
  /** Marks the span as failed. Only the error's code or class is exported, because messages can contain hostnames. */
  fail(error: unknown): void;
  end(): void;
}

/** Creates spans. Only `sdk.ts` implements it, so that the SDK is imported only if traces are on. */
export interface Tracer {
  begin(type: SpanType, attributes: Attributes, place: { parent: TraceContext | null; links: TraceContext[] }): Span;
  /** Exports the span of a workflow run, which has ended. */
  record(span: WorkflowSpan): void;
  /** Exports the remaining spans. Resolves to false if that takes longer than the limit. */
  stop(limitMs: number): Promise<boolean>;
}
