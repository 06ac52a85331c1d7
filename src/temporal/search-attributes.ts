import { isGrpcServiceError } from '@temporalio/client';
import { setTimeout as pause } from 'node:timers/promises';
import { searchAttributes } from '../../workflows/messages.ts';
import type { Logger } from '../log.ts';
import { withDeadline, type Temporal } from './client.ts';

/** IndexedValueType of Temporal's API, and its name in the command line. */
const TYPES = { KEYWORD: [2, 'Keyword'], DATETIME: [6, 'Datetime'], KEYWORD_LIST: [7, 'KeywordList'] } as const;
/** gRPC statuses. */
const ALREADY_EXISTS = 6;
const UNIMPLEMENTED = 12;

/** Time in which the servers of a cluster learn of a new attribute. */
const HEARD_WITHIN_MS = 30_000;

/** Registers the search attributes and waits for them: upserting an unknown one would block a run's first task. */
export async function registerSearchAttributes(temporal: Temporal, log: Logger): Promise<void> {
  const { namespace, connection } = temporal;
  for (const { name, type } of Object.values(searchAttributes)) {
    const [indexed, called] = TYPES[type];
    const request = { namespace, searchAttributes: { [name]: indexed } };
    await withDeadline(temporal, 10_000, () => connection.operatorService.addSearchAttributes(request)).catch(
      (error: unknown) => {
        if (hasStatus(error, ALREADY_EXISTS)) return;
        log.warn(
          { err: error },
          `Could not register the search attribute ${name} (${called}). Add it manually if the namespace lacks it.`,
        );
      },
    );
  }
  const end = Date.now() + HEARD_WITHIN_MS;
  while (!(await areKnown(temporal))) {
    if (Date.now() > end) {
      log.warn('Temporal does not know every search attribute yet; runs wait until it does.');
      return;
    }
    await pause(200);
  }
}

/** Checks the attributes like the start of a run does, because a listed one may still be unknown to the server. */
async function areKnown(temporal: Temporal): Promise<boolean> {
  const conditions = Object.values(searchAttributes).map(({ name }) => `${name} IS NOT NULL`);
  const query = ["WorkflowId = 'none'", ...conditions].join(' AND ');
  try {
    const { workflowService } = temporal.connection;
    await withDeadline(temporal, 5_000, () =>
      workflowService.countWorkflowExecutions({ namespace: temporal.namespace, query }),
    );
    return true;
  } catch (error) {
    return hasStatus(error, UNIMPLEMENTED); // the time-skipping server does not support it
  }
}

const hasStatus = (error: unknown, status: number): boolean =>
  isGrpcServiceError(error) && error.code.valueOf() === status;

/** Returns name and type of each attribute, as Temporal's command line takes them. */
export const searchAttributeTypes = (): Record<string, string> =>
  Object.fromEntries(Object.values(searchAttributes).map(({ name, type }) => [name, TYPES[type][1]]));
