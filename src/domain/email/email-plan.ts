import type { DnsRecord } from '../record.ts';
import { isOneOf, isPointer, type Named } from '../zone/zone-record.ts';
import { isDmarc, parseDmarc } from './dmarc.ts';
import { dkimNote, spfRecord, writableRecords, type MailRequest } from './email-records.ts';
import { isSpf, LOOKUP_LIMIT, mergeSpf, SAFE_LENGTH, spfFault } from './spf.ts';
import { ownLookups, type SpfLookups } from './spf-lookups.ts';

/** What stands at the domain's mail names, whether a provider's account or live DNS told it. */
export interface MailSituation {
  current: readonly Named[];
  /** Names that no server could be asked about: what stands there is not known. */
  unknown: readonly string[];
}

export const NOTHING_KNOWN: MailSituation = { current: [], unknown: [] };

export interface SenderPolicy {
  record: DnsRecord;
  /** The owner's record allows the provider already, so nothing is to be done. */
  stands: boolean;
}

/** The sender policy that shall stand. It is never written by us: people set it, because it speaks for all their senders. */
export function senderPolicy({ provider, domain }: MailRequest, { current }: MailSituation): SenderPolicy {
  const existing = policiesAt(domain, current);
  const value = mergeSpf(existing, provider.spfInclude);
  return { record: spfRecord(domain, value), stands: existing.length === 1 && existing[0] === value };
}

const policiesAt = (domain: string, current: readonly Named[]): string[] =>
  current
    .filter(({ host, type, value }) => host === domain && type === 'TXT' && isSpf(value))
    .map(({ value }) => value);

/** Everything that a person must set by hand when we may not write, in the order in which people read it. */
export function manualRecords(wish: MailRequest, situation: MailSituation): DnsRecord[] {
  const missing = writableRecords(wish).filter((record) => !isOneOf(record, situation.current));
  const { record, stands } = senderPolicy(wish, situation);
  return stands ? missing : [...missing, record];
}

/** What stands in the way of the provider's mail and stays as it is, and what else its owner must know or do. */
export function mailNotes(wish: MailRequest, situation: MailSituation, lookups: SpfLookups | null): string[] {
  return [
    ...mxNotes(wish, situation),
    ...policyNotes(wish, situation, lookups),
    ...dmarcNotes(wish, situation),
    ...takenNotes(wish, situation),
    dkimNote(wish) ?? [],
    ...unknownNotes(situation),
  ].flat();
}

function mxNotes(wish: MailRequest, { current }: MailSituation): string[] {
  const { provider, domain } = wish;
  const wanted = writableRecords(wish).filter(({ type }) => type === 'MX');
  const standing = current.filter(({ host, type }) => host === domain && type === 'MX');
  const foreign = standing.filter((one) => !wanted.some(({ value }) => sameHost(value, one.value)));
  if (foreign.length === 0) return [];
  if (foreign.every(({ value }) => value === '' || value === '.'))
    return [
      `${domain} says that it takes no mail (a null MX). Remove that MX record, and then set those of ${provider.name}.`,
    ];
  const names = foreign.map(({ value }) => value).join(', ');
  return [
    `Mail for ${domain} goes to ${names} today, and stays there. When you are ready to move to ${provider.name}, replace these MX records with ${wanted.map(({ priority, value }) => `${String(priority)} ${value}`).join(', ')}.`,
  ];
}

const sameHost = (a: string, b: string): boolean =>
  a.toLowerCase().replace(/\.$/, '') === b.toLowerCase().replace(/\.$/, '');

function policyNotes(wish: MailRequest, situation: MailSituation, lookups: SpfLookups | null): string[] {
  const { provider, domain } = wish;
  const existing = policiesAt(domain, situation.current);
  const { record, stands } = senderPolicy(wish, situation);
  const notes: string[] = [];
  if (existing.length > 1)
    notes.push(
      `${domain} has ${existing.length} SPF records, and receivers believe none of several. Replace them all with the one in the list.`,
    );
  else if (existing.length === 1 && !stands)
    notes.push(
      `${domain} has an SPF record already. Replace its value with the one in the list, which keeps everything in it and adds ${provider.name}; a second SPF record would void both.`,
    );
  else if (existing.length === 0 && !situation.unknown.includes(domain))
    notes.push(`Add the SPF record by hand if you send from nowhere else; we never write it, because it speaks for every sender of ${domain}.`); // prettier-ignore
  const fault = spfFault(record.value);
  if (fault !== null) notes.push(`Receivers reject the SPF record of ${domain} as a whole, because ${fault}. Mend that first.`); // prettier-ignore
  if (/(^| )\+?all( |$)/i.test(record.value))
    notes.push(`The SPF record of ${domain} ends in "+all", which lets everybody send in its name. "~all" is safer.`);
  return [...notes, ...lookupNotes(record.value, lookups), ...lengthNotes(record.value)];
}

function lookupNotes(value: string, lookups: SpfLookups | null): string[] {
  const count = lookups?.count ?? ownLookups(value);
  const open = lookups === null ? ', not counting what its includes ask for in turn' : '';
  if (count > LOOKUP_LIMIT)
    return [
      `The merged SPF record makes receivers ask DNS ${count} times${open}, and they give up after ${LOOKUP_LIMIT}. Take out senders that you no longer use before you set it.`,
    ];
  const unread = lookups?.unread ?? [];
  if (unread.length > 0)
    return [
      `The merged SPF record costs ${count} of ${LOOKUP_LIMIT} DNS look-ups and what ${unread.join(', ')} cost, which could not be read.`,
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
    return [`${domain} has ${found.length} DMARC records, and receivers believe none of several. Keep one of them.`];
  const { policy } = parseDmarc(only.value);
  if (policy === 'reject' || policy === 'quarantine')
    return [
      `The DMARC record of ${domain} stays as it is. It asks receivers to ${policy === 'reject' ? 'refuse' : 'put aside'} mail that is not authenticated, so set SPF and DKIM for ${provider.name} before you send.`,
    ];
  return policy === null ? [`The DMARC record of ${domain} has no policy that receivers know (p=). Mend it.`] : [];
}

/** Names at which something else of the owner's stands. */
function takenNotes(wish: MailRequest, { current }: MailSituation): string[] {
  const names = writableRecords(wish).filter(({ type, host }) => type !== 'MX' && host !== `_dmarc.${wish.domain}`);
  return names.flatMap((wanted) => {
    const other = current.find(
      (found) => found.host === wanted.host && !isOneOf(found, [wanted]) && (isPointer(found) || isPointer(wanted)),
    );
    return other === undefined
      ? []
      : [`${wanted.host} leads to ${other.value} and stays so. ${wish.provider.name} needs ${wanted.type} ${wanted.value} there.`]; // prettier-ignore
  });
}

const unknownNotes = ({ unknown }: MailSituation): string[] =>
  unknown.length === 0
    ? []
    : [
        `What stands at ${unknown.join(', ')} could not be looked up just now. Before you add a record there, look whether there is one already: a second MX set, SPF or DMARC record does harm.`,
      ];
