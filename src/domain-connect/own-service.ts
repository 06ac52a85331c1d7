import { createHash } from 'node:crypto';
import type { Kind } from '../domain/connection/connection.ts';
import type { EdgeTargets } from '../domain/connection/edge-addresses.ts';
import type { TemplateRecord } from '../domain/connection/template.ts';
import { ownRecords } from '../domain/zone/domain-connect-records.ts';
import type { DcRecord } from '../domain/zone/domain-connect.ts';

export interface OwnService {
  serviceId: string;
  records: DcRecord[];
}

/**
 * Returns the Domain Connect service of an application's own records; null if it has none. The id contains a digest of the
 * records, so a template that a provider accepted never writes other records than we expect.
 */
export function ownService(template: readonly TemplateRecord[], kind: Kind, edge: EdgeTargets): OwnService | null {
  if (template.length === 0) return null;
  const records = ownRecords(template, kind, edge);
  if (records === null) return null;
  const digest = createHash('sha256').update(JSON.stringify(records)).digest('hex').slice(0, 12);
  return { serviceId: `records-${digest}`, records };
}
