import {
  defaultPayloadConverter,
  proxySinks,
  workflowInfo,
  type Headers,
  type WorkflowInterceptorsFactory,
} from '@temporalio/workflow';
import {
  parseTraceparent,
  spanIdOfRun,
  TRACE_HEADER,
  traceparentOf,
  type TraceCarrier,
} from '../src/domain/trace-context.ts';
import { MINUTE } from '../src/domain/duration.ts';
import type { TraceSinks } from './messages.ts';

/** Time for which the work of a live connection belongs to the trace of the last message. */
const CAUSE_FOR = 10 * MINUTE;

/**
 * Passes traces on from the run's start to its activities. It adds no command and no await, so histories replay with and
 * without traces. A run that began without traces has no header and passes none on.
 */
class RunTrace {
  private first: string | undefined;
  private each: TraceCarrier['each'];
  private isLater = false;
  /** The span of this run, until it ends. */
  private run: { traceparent: string; parentId: string } | undefined;
  private cause: { traceparent: string; at: number } | undefined;

  begin({ traceparent, first, later, each }: TraceCarrier): void {
    const parent = parseTraceparent(traceparent);
    this.first = first ?? traceparent;
    this.each = each;
    this.isLater = later === true;
    if (parent === null || this.isLater) return;
    const spanId = spanIdOfRun(workflowInfo().runId);
    this.run = { traceparent: traceparentOf({ ...parent, spanId }), parentId: parent.spanId };
  }

  receive({ traceparent }: TraceCarrier): void {
    if (traceparent !== undefined) this.cause = { traceparent, at: Date.now() };
  }

  /** Ends the span of this run. */
  end(): void {
    if (this.run === undefined) return;
    const { workflowType: workflow, runStartTime } = workflowInfo();
    const times = { startedAt: runStartTime.getTime(), endedAt: Date.now() };
    proxySinks<TraceSinks>().traces.workflowEnded({ ...this.run, workflow, ...times });
    this.run = undefined;
  }

  becomeLater(): void {
    this.isLater = true;
    this.end();
  }

  /** Returns the contexts for an activity, a child or the next run. */
  carrier(): TraceCarrier | undefined {
    if (this.run !== undefined)
      return { traceparent: this.run.traceparent, ...(this.each === undefined ? {} : { each: this.each }) };
    const cause = this.cause !== undefined && Date.now() - this.cause.at < CAUSE_FOR ? this.cause : undefined;
    if (cause === undefined && this.first === undefined) return undefined;
    return {
      ...(cause === undefined ? {} : { traceparent: cause.traceparent }),
      ...(this.first === undefined ? {} : { first: this.first }),
      ...(this.isLater ? { later: true } : {}),
    };
  }
}

/** Replaced for each run, because Temporal calls the factory below when a run begins. */
let trace = new RunTrace();

/** Ends the first trace, because the connection is live. What happens from now on belongs to traces of its own. */
export const beginLaterTraces = (): void => trace.becomeLater();

const carrierIn = (headers: Headers): TraceCarrier => {
  const payload = headers[TRACE_HEADER];
  return payload === undefined ? {} : defaultPayloadConverter.fromPayload<TraceCarrier>(payload);
};

export const interceptors: WorkflowInterceptorsFactory = () => {
  const current = (trace = new RunTrace());
  const pass = <I extends { headers: Headers }>(input: I): I => {
    const carrier = current.carrier();
    if (carrier === undefined) return input;
    return { ...input, headers: { ...input.headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(carrier) } };
  };
  return {
    inbound: [
      {
        execute: (input, next) => {
          current.begin(carrierIn(input.headers));
          const run = next(input);
          const end = () => current.end();
          void run.then(end, end);
          return run;
        },
        handleSignal: (input, next) => {
          current.receive(carrierIn(input.headers));
          return next(input);
        },
        handleUpdate: (input, next) => {
          current.receive(carrierIn(input.headers));
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(pass(input)),
        scheduleLocalActivity: (input, next) => next(pass(input)),
        startChildWorkflowExecution: (input, next) => next(pass(input)),
        continueAsNew: (input, next) => next(pass(input)),
      },
    ],
  };
};
