import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { ConnectionSnapshot } from '../src/domain/connection/snapshot.ts';
import { changingLabels, searchAttributes } from './messages.ts';

const LATER_LABELS: ReadonlySet<string> = new Set([searchAttributes.ErrorCode.name, searchAttributes.StateSince.name]);

/** Updates changed search attributes. Attributes that later code added need runs that began with it, to replay. */
export function label(row: ConnectionSnapshot): void {
  const known = new Map(
    workflowInfo()
      .typedSearchAttributes.getAll()
      .map(({ key, value }) => [key.name, value]),
  );
  const changed = changingLabels(row).filter(
    ({ key, value }) =>
      (known.has(key.name) || !LATER_LABELS.has(key.name)) &&
      JSON.stringify(known.get(key.name)) !== JSON.stringify(value),
  );
  if (changed.length > 0) upsertSearchAttributes(changed);
}
