import type { DnsRecord } from '../record.ts';
import { isOneOf, isPointer, type Named } from '../zone/zone-record.ts';
import { isDmarc, parseDmarc } from './dmarc.ts';
import { dkimNote, spfRecord, writableRecords, type MailRequest } from './email-records.ts';
import { isSpf, LOOKUP_LIMIT, mergeSpf, SAFE_LENGTH, sameName, spfFault } from './spf.ts';
import { ownLookups, type SpfLookups } from './spf-lookups.ts';

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

const policiesAt = (domain: string, current: readonly Named[]): string[] =>
  current
    .filter(({ host, type, value }) => host === domain && type === 'TXT' && isSpf(value))
    .map(({ value }) => value);

/** Returns all records that a person must add if we may not write, in reading order. */
export function manualRecords(request: MailRequest, situation: MailSituation): DnsRecord[] {
  const missing = writableRecords(request).filter((record) => !isOneOf(record, situation.current));
  const { record, stands } = senderPolicy(request, situation);
  return stands ? missing : [...missing, record];
}

/** Returns notes for the owner: conflicting records that stay, and steps that are left. */
export function mailNotes(request: MailRequest, situation: MailSituation, lookups: SpfLookups | null): string[] {
  return [
    ...mxNotes(request, situation),
    ...policyNotes(request, situation, lookups),
    ...dmarcNotes(request, situation),
    ...takenNotes(request, situation),
    dkimNote(request) ?? [],
    ...unknownNotes(situation),
  ].flat();
}

function mxNotes(request: MailRequest, { current }: MailSituation): string[] {
  const { provider, domain } = request;
  const wanted = writableRecords(request).filter(({ type }) => type === 'MX');
  const standing = current.filter(({ host, type }) => host === domain && type === 'MX');
  const foreign = standing.filter((one) => !wanted.some(({ value }) => sameName(value, one.value)));
  if (foreign.length === 0) return [];
  if (foreign.every(({ value }) => value === '' || value === '.'))
    return [`${domain} accepts no mail (it has a null MX). Remove that MX record, then add those of ${provider.name}.`];
  const names = foreign.map(({ value }) => value).join(', ');
  return [
    `Mail for ${domain} goes to ${names} today, and stays there. When you are ready to move to ${provider.name}, replace these MX records with ${wanted.map(({ priority, value }) => `${String(priority)} ${value}`).join(', ')}.`,
  ];
}

function policyNotes(request: MailRequest, situation: MailSituation, lookups: SpfLookups | null): string[] {
  const { provider, domain } = request;
  const existing = policiesAt(domain, situation.current);
  const { record, stands } = senderPolicy(request, situation);
  const notes: string[] = [];
  if (existing.length > 1)
    notes.push(
      `${domain} has ${existing.length} SPF records, so receivers ignore all of them. Replace them with the one in the list.`,
    );
  else if (existing.length === 1 && !stands)
    notes.push(
      `${domain} already has an SPF record. Replace its value with the one in the list, which keeps all of its terms and adds ${provider.name}; a second SPF record would void both.`,
    );
  else if (existing.length === 0 && !situation.unknown.includes(domain))
    notes.push(`Add the SPF record manually if you send mail from nowhere else. We never write it, because it applies to every sender of ${domain}.`); // prettier-ignore
  const fault = spfFault(record.value);
  if (fault !== null) notes.push(`Receivers reject the SPF record of ${domain} as a whole, because ${fault}. Fix that first.`); // prettier-ignore
  if (/(^| )\+?all( |$)/i.test(record.value))
    notes.push(`The SPF record of ${domain} ends in "+all", which lets anyone send in its name. "~all" is safer.`);
  return [...notes, ...lookupNotes(record.value, lookups), ...lengthNotes(record.value)];
}

function lookupNotes(value: string, lookups: SpfLookups | null): string[] {
  const count = lookups?.count ?? ownLookups(value);
  const open = lookups === null ? ', not counting those of its includes' : '';
  if (count > LOOKUP_LIMIT)
    return [
      `The merged SPF record costs receivers ${count} DNS lookups${open}, and they stop after ${LOOKUP_LIMIT}. Remove senders that you no longer use before you publish it.`,
    ];
  const unread = lookups?.unread ?? [];
  if (unread.length > 0)
    return [
      `The merged SPF record costs ${count} of ${LOOKUP_LIMIT} DNS lookups, plus those of ${unread.join(', ')}, which we could not read.`,
    ];
  return [];
}

const lengthNotes = (value: string): string[] =>
  value.length > SAFE_LENGTH
    ? [`The merged SPF record has ${value.length} characters; beyond ${SAFE_LENGTH} some receivers cannot read it.`]
    : [];

function dmarcNotes({ domain, provider }: MailRequest, { current }: MailSituation): string[] {
  const found = current.filter(
    ({ host, type, value }) => host === `_dmarc.${domain}` && type === 'TXT' && isDmarc(value),
  );
  const [only, ...others] = found;
  if (only === undefined) return [];
  if (others.length > 0)
    return [`${domain} has ${found.length} DMARC records, so receivers ignore all of them. Keep one.`];
  const { policy } = parseDmarc(only.value);
  if (policy === 'reject' || policy === 'quarantine')
    return [
      `The DMARC record of ${domain} stays as it is. It asks receivers to ${policy === 'reject' ? 'refuse' : 'put aside'} mail that is not authenticated, so set up SPF and DKIM for ${provider.name} before you send.`,
    ];
  return policy === null ? [`The DMARC record of ${domain} has no valid policy (p=). Fix it.`] : [];
}

/** Returns notes about names where other records of the owner exist. */
function takenNotes(request: MailRequest, { current }: MailSituation): string[] {
  const names = writableRecords(request).filter(
    ({ type, host }) => type !== 'MX' && host !== `_dmarc.${request.domain}`,
  );
  return names.flatMap((wanted) => {
    const other = current.find(
      (found) => found.host === wanted.host && !isOneOf(found, [wanted]) && (isPointer(found) || isPointer(wanted)),
    );
    return other === undefined
      ? []
      : [`${wanted.host} points to ${other.value}, and we leave it. ${request.provider.name} needs ${wanted.type} ${wanted.value} there.`]; // prettier-ignore
  });
}

const unknownNotes = ({ unknown }: MailSituation): string[] =>
  unknown.length === 0
    ? []
    : [
        `We could not look up ${unknown.join(', ')} just now. Before you add a record there, check whether there is one already: a second MX set, SPF or DMARC record does harm.`,
      ];
