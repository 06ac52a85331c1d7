import { isGrpcServiceError } from '@temporalio/client';
import { searchAttributes } from '../../workflows/messages.ts';
import type { Logger } from '../log.ts';
import { withDeadline, type Temporal } from './client.ts';

/** IndexedValueType of Temporal's API, and what its command line calls it. */
const TYPES = { KEYWORD: [2, 'Keyword'], DATETIME: [6, 'Datetime'], KEYWORD_LIST: [7, 'KeywordList'] } as const;
const ALREADY_EXISTS = 6; // status of gRPC

/**
 * A workflow that upserts an attribute its server does not know never gets past its first task, so they are registered
 * before a worker starts. Having them already is success: another worker was first. Where only an administrator may register,
 * the log says what to add.
 */
export async function registerSearchAttributes(temporal: Temporal, log: Logger): Promise<void> {
  const { namespace, connection } = temporal;
  for (const { name, type } of Object.values(searchAttributes)) {
    const [indexed, called] = TYPES[type];
    const request = { namespace, searchAttributes: { [name]: indexed } };
    await withDeadline(temporal, 10_000, () => connection.operatorService.addSearchAttributes(request)).catch(
      (error: unknown) => {
        if (isGrpcServiceError(error) && error.code.valueOf() === ALREADY_EXISTS) return;
        log.warn(
          { err: error },
          `Could not register the search attribute ${name} (${called}). Add it by hand if the namespace lacks it.`,
        );
      },
    );
  }
}

/** Name to type, as Temporal's command line takes them. */
export const searchAttributeTypes = (): Record<string, string> =>
  Object.fromEntries(Object.values(searchAttributes).map(({ name, type }) => [name, TYPES[type][1]]));
