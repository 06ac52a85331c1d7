import type { DnsRecord } from '../record.ts';
import { isOneOf, isPointer, type Named } from '../zone/zone-record.ts';
import { isDmarc } from './dmarc.ts';
import { spfRecord, writableRecords, type MailRequest } from './email-records.ts';
import { isSpf, mergeSpf, sameName } from './spf.ts';

/** Records at the domain's mail names, from a provider's account or from live DNS. */
export interface MailSituation {
  current: readonly Named[];
  /** Names about which no server answered. */
  unknown: readonly string[];
}

export const NOTHING_KNOWN: MailSituation = { current: [], unknown: [] };

export interface SenderPolicy {
  record: DnsRecord;
  /** Whether the owner's record allows the provider already. */
  stands: boolean;
}

/** Returns the desired sender policy. We never write it, because it applies to all of the owner's senders. */
export function senderPolicy({ provider, domain }: MailRequest, { current }: MailSituation): SenderPolicy {
  const existing = policiesAt(domain, current);
  const value = mergeSpf(existing, provider.spfInclude);
  return { record: spfRecord(domain, value), stands: existing.length === 1 && existing[0] === value };
}

/** Returns the SPF records at a domain. */
export const policiesAt = (domain: string, current: readonly Named[]): string[] =>
  current
    .filter(({ host, type, value }) => host === domain && type === 'TXT' && isSpf(value))
    .map(({ value }) => value);

/** Returns every record of the setup in reading order: those that we can write, then the sender policy. */
export const allRecords = (request: MailRequest, situation: MailSituation): DnsRecord[] => [
  ...writableRecords(request),
  senderPolicy(request, situation).record,
];

/** Returns the records of the setup that are already published. */
export const existingRecords = (request: MailRequest, situation: MailSituation): DnsRecord[] =>
  allRecords(request, situation).filter((record) => isOneOf(record, situation.current));

/** A record that is not published yet, and the published records that it must replace. */
export interface MailChange extends DnsRecord {
  action: 'add' | 'replace';
  replaces: Named[];
}

/** Returns the changes that the owner would make, with the records that must go. An existing DMARC policy stays. */
export const mailChanges = (request: MailRequest, situation: MailSituation): MailChange[] =>
  allRecords(request, situation)
    .filter((record) => !isOneOf(record, situation.current) && !hasPolicyAt(record, situation))
    .map((record) => {
      const replaces = situation.current.filter((found) => excludes(found, record, request, situation));
      return { ...record, action: replaces.length > 0 ? 'replace' : 'add', replaces };
    });

/** Whether a published record must go when the wanted one is added: mail of another provider, a policy, a pointer. */
function excludes(found: Named, wanted: DnsRecord, request: MailRequest, situation: MailSituation): boolean {
  if (found.host !== wanted.host) return false;
  if (wanted.type === 'MX') return found.type === 'MX' && foreignMx(request, situation).includes(found);
  if (wanted.type === 'TXT' && isSpf(wanted.value)) return found.type === 'TXT' && isSpf(found.value);
  return isPointer(found) || isPointer(wanted);
}

/** Whether a DMARC record is wanted where the owner has one, which may be stricter. */
const hasPolicyAt = (wanted: DnsRecord, { current }: MailSituation): boolean =>
  isDmarc(wanted.value) &&
  current.some(({ host, type, value }) => host === wanted.host && type === 'TXT' && isDmarc(value));

/** Returns the published MX records that do not belong to the wanted provider. */
export function foreignMx(request: MailRequest, { current }: MailSituation): Named[] {
  const wanted = writableRecords(request).filter(({ type }) => type === 'MX');
  return current.filter(
    ({ host, type, value }) =>
      host === request.domain && type === 'MX' && !wanted.some((one) => sameName(one.value, value)),
  );
}
