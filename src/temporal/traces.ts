import type { ClientOptions, WorkflowClientInterceptor } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { ActivityInterceptorsFactory, InjectedSinks, WorkerOptions } from '@temporalio/worker';
import { TRACE_HEADER, type TraceCarrier } from '../domain/trace-context.ts';
import { currentCarrier, inSpan, isTracing, recordWorkflow, type Place } from '../telemetry/tracing.ts';
import type { TraceSinks } from '../../workflows/messages.ts';

const withTrace = (headers: Headers): Headers => {
  const carrier = currentCarrier();
  return carrier === null ? headers : { ...headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(carrier) };
};

const sending: WorkflowClientInterceptor = {
  startWithDetails: (input, next) => next({ ...input, headers: withTrace(input.headers) }),
  signalWithStart: (input, next) => next({ ...input, headers: withTrace(input.headers) }),
  startUpdateWithStart: (input, next) =>
    next({
      ...input,
      workflowStartHeaders: withTrace(input.workflowStartHeaders),
      updateHeaders: withTrace(input.updateHeaders),
    }),
};

/** Options of a client whose calls carry the active span. */
export const tracedCalls = (): Pick<ClientOptions, 'interceptors'> =>
  isTracing() ? { interceptors: { workflow: [sending] } } : {};

/** Runs each attempt of an activity in a span. */
const working: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute: (input, next) => {
      const carrier = carrierIn(input.headers);
      const attributes = {
        'svc.activity': info.activityType,
        'svc.workflow': info.workflowType,
        'svc.attempt': info.attempt,
        'svc.local': info.isLocal,
        'svc.object_id': typeof input.args[0] === 'string' ? input.args[0] : undefined,
      };
      const attempt = async (span: Parameters<Parameters<typeof inSpan>[2]>[0]) => {
        try {
          return { result: await next(input) };
        } catch (error) {
          if (!isExpected(error)) throw error;
          span?.set({ 'svc.outcome': error instanceof CancelledFailure ? 'cancelled' : 'retry' });
          return { error };
        }
      };
      return inSpan('activity', attributes, attempt, placeOfAttempt(carrier, info.attempt)).then((ended) => {
        if ('error' in ended) throw ended.error;
        return ended.result;
      });
    },
  },
});

/** A check that must be repeated, and a cancelled activity, end with an error that is no failure. */
const isExpected = (error: unknown): boolean =>
  error instanceof CancelledFailure || (error instanceof ApplicationFailure && error.nextRetryDelay !== undefined);

/** Until the connection is live, attempts belong to its first trace. Later ones belong to their cause, or begin a trace. */
const placeOfAttempt = ({ traceparent, first, later, each }: TraceCarrier, attempt: number): Place => ({
  parent: later && attempt > 1 ? null : (traceparent ?? null),
  links: [first],
  carrier: { ...(first === undefined ? {} : { first }), ...(each === undefined ? {} : { each }) },
});

const carrierIn = (headers: Headers): TraceCarrier => {
  const payload = headers[TRACE_HEADER];
  return payload === undefined ? {} : defaultPayloadConverter.fromPayload<TraceCarrier>(payload);
};

const sinks: InjectedSinks<TraceSinks> = {
  traces: { workflowEnded: { fn: (_info, span) => recordWorkflow(span), callDuringReplay: false } },
};

/** Options of a worker. The sink is always present, because runs that began with traces report their span to it. */
export const tracedWork = (): Pick<WorkerOptions, 'interceptors' | 'sinks'> => ({
  sinks,
  ...(isTracing() ? { interceptors: { activity: [working] } } : {}),
});
