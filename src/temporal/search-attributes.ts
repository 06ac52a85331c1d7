import { isGrpcServiceError } from '@temporalio/client';
import { searchAttributes } from '../../workflows/messages.ts';
import type { Logger } from '../log.ts';
import { withDeadline, type Temporal } from './client.ts';

const KEYWORD = 2; // IndexedValueType of Temporal's API
const ALREADY_EXISTS = 6; // status of gRPC

/**
 * A workflow that upserts an attribute its server does not know never gets past its first task, so they are registered
 * before a worker starts. Two processes may do it at once. Where only an administrator may, the log says what to add.
 */
export async function registerSearchAttributes(temporal: Temporal, log: Logger): Promise<void> {
  const { operatorService } = temporal.connection;
  const { namespace } = temporal;
  try {
    const { customAttributes } = await withDeadline(temporal, 10_000, () =>
      operatorService.listSearchAttributes({ namespace }),
    );
    const missing = Object.keys(searchAttributes).filter((name) => !(name in customAttributes));
    if (missing.length === 0) return;
    const request = { namespace, searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])) };
    await withDeadline(temporal, 10_000, () => operatorService.addSearchAttributes(request));
  } catch (error) {
    if (isGrpcServiceError(error) && error.code.valueOf() === ALREADY_EXISTS) return;
    log.warn(
      { err: error },
      `Could not register the search attributes ${Object.keys(searchAttributes).join(', ')} (Keyword). Add them by hand if the namespace lacks them.`,
    );
  }
}
