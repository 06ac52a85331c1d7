import { isOneOf, isPointer } from '../zone/zone-record.ts';
import { isDmarc, parseDmarc } from './dmarc.ts';
import { foreignMx, policiesAt, senderPolicy, type MailSituation } from './email-plan.ts';
import { lacksDkim, writableRecords, type MailRequest } from './email-records.ts';
import { LOOKUP_LIMIT, SAFE_LENGTH, spfFault } from './spf.ts';
import { ownLookups, type SpfLookups } from './spf-lookups.ts';

export type MailNoteCode =
  | 'mx_stays'
  | 'null_mx'
  | 'spf_several'
  | 'spf_merge'
  | 'spf_new'
  | 'spf_fault'
  | 'spf_plus_all'
  | 'spf_lookups'
  | 'spf_unread'
  | 'spf_long'
  | 'dmarc_several'
  | 'dmarc_strict'
  | 'dmarc_invalid'
  | 'taken'
  | 'dkim_targets'
  | 'dkim_key'
  | 'unknown_names';

/** Advice for the owner: an English sentence, and the code and values with which others can translate it. */
export interface MailNote {
  code: MailNoteCode;
  params: Readonly<Record<string, string>>;
  message: string;
}

const note = (code: MailNoteCode, params: Readonly<Record<string, string>>, message: string): MailNote => ({
  code,
  params,
  message,
});

/** Returns notes for the owner: conflicting records that stay, and steps that are left. */
export function mailNotes(request: MailRequest, situation: MailSituation, lookups: SpfLookups | null): MailNote[] {
  return [
    ...mxNotes(request, situation),
    ...policyNotes(request, situation),
    ...lookupNotes(senderPolicy(request, situation).record.value, lookups),
    ...dmarcNotes(request, situation),
    ...takenNotes(request, situation),
    ...dkimNotes(request),
    ...unknownNotes(situation),
  ];
}

function mxNotes(request: MailRequest, situation: MailSituation): MailNote[] {
  const { provider, domain } = request;
  const foreign = foreignMx(request, situation);
  if (foreign.length === 0) return [];
  if (foreign.every(({ value }) => value === '' || value === '.'))
    return [
      note(
        'null_mx',
        { domain, provider: provider.name },
        `${domain} accepts no mail (it has a null MX). Remove that MX record, then add those of ${provider.name}.`,
      ),
    ];
  const found = foreign.map(({ value }) => value).join(', ');
  const wanted = writableRecords(request)
    .filter(({ type }) => type === 'MX')
    .map(({ priority, value }) => `${String(priority)} ${value}`)
    .join(', ');
  return [
    note(
      'mx_stays',
      { domain, found, provider: provider.name, wanted },
      `Mail for ${domain} goes to ${found} today, and stays there. When you are ready to move to ${provider.name}, replace these MX records with ${wanted}.`,
    ),
  ];
}

function policyNotes(request: MailRequest, situation: MailSituation): MailNote[] {
  const { provider, domain } = request;
  const existing = policiesAt(domain, situation.current);
  const { record, stands } = senderPolicy(request, situation);
  const notes: MailNote[] = [];
  if (existing.length > 1)
    notes.push(
      note(
        'spf_several',
        { domain, count: String(existing.length) },
        `${domain} has ${existing.length} SPF records, so receivers ignore all of them. Replace them with the one in the list.`,
      ),
    );
  else if (existing.length === 1 && !stands)
    notes.push(
      note(
        'spf_merge',
        { domain, provider: provider.name },
        `${domain} already has an SPF record. Replace its value with the one in the list, which keeps all of its terms and adds ${provider.name}; a second SPF record would void both.`,
      ),
    );
  else if (existing.length === 0 && !situation.unknown.includes(domain))
    notes.push(
      note(
        'spf_new',
        { domain },
        `Add the SPF record manually if you send mail from nowhere else. We never write it, because it applies to every sender of ${domain}.`,
      ),
    );
  const fault = spfFault(record.value);
  if (fault !== null)
    notes.push(
      note(
        'spf_fault',
        { domain, fault },
        `Receivers reject the SPF record of ${domain} as a whole, because ${fault}. Fix that first.`,
      ),
    );
  if (/(^| )\+?all( |$)/i.test(record.value))
    notes.push(
      note(
        'spf_plus_all',
        { domain },
        `The SPF record of ${domain} ends in "+all", which lets anyone send in its name. "~all" is safer.`,
      ),
    );
  return [...notes, ...lengthNotes(record.value)];
}

function lookupNotes(value: string, lookups: SpfLookups | null): MailNote[] {
  const count = String(lookups?.count ?? ownLookups(value));
  const limit = String(LOOKUP_LIMIT);
  const open = lookups === null ? ', not counting those of its includes' : '';
  if (Number(count) > LOOKUP_LIMIT)
    return [
      note(
        'spf_lookups',
        { count, limit },
        `The merged SPF record costs receivers ${count} DNS lookups${open}, and they stop after ${limit}. Remove senders that you no longer use before you publish it.`,
      ),
    ];
  const unread = (lookups?.unread ?? []).join(', ');
  if (unread === '') return [];
  return [
    note(
      'spf_unread',
      { count, limit, unread },
      `The merged SPF record costs ${count} of ${limit} DNS lookups, plus those of ${unread}, which we could not read.`,
    ),
  ];
}

const lengthNotes = (value: string): MailNote[] =>
  value.length > SAFE_LENGTH
    ? [
        note(
          'spf_long',
          { length: String(value.length), limit: String(SAFE_LENGTH) },
          `The merged SPF record has ${value.length} characters; beyond ${SAFE_LENGTH} some receivers cannot read it.`,
        ),
      ]
    : [];

function dmarcNotes({ domain, provider }: MailRequest, { current }: MailSituation): MailNote[] {
  const found = current.filter(
    ({ host, type, value }) => host === `_dmarc.${domain}` && type === 'TXT' && isDmarc(value),
  );
  const [only, ...others] = found;
  if (only === undefined) return [];
  if (others.length > 0)
    return [
      note(
        'dmarc_several',
        { domain, count: String(found.length) },
        `${domain} has ${found.length} DMARC records, so receivers ignore all of them. Keep one.`,
      ),
    ];
  const { policy } = parseDmarc(only.value);
  if (policy === 'reject' || policy === 'quarantine')
    return [
      note(
        'dmarc_strict',
        { domain, policy, provider: provider.name },
        `The DMARC record of ${domain} stays as it is. It asks receivers to ${policy === 'reject' ? 'refuse' : 'put aside'} mail that is not authenticated, so set up SPF and DKIM for ${provider.name} before you send.`,
      ),
    ];
  return policy === null
    ? [note('dmarc_invalid', { domain }, `The DMARC record of ${domain} has no valid policy (p=). Fix it.`)]
    : [];
}

/** Returns notes about names where other records of the owner exist. */
function takenNotes(request: MailRequest, { current }: MailSituation): MailNote[] {
  const names = writableRecords(request).filter(
    ({ type, host }) => type !== 'MX' && host !== `_dmarc.${request.domain}`,
  );
  return names.flatMap((wanted) => {
    const other = current.find(
      (found) => found.host === wanted.host && !isOneOf(found, [wanted]) && (isPointer(found) || isPointer(wanted)),
    );
    if (other === undefined) return [];
    const { host, type, value } = wanted;
    const provider = request.provider.name;
    return note(
      'taken',
      { host, found: other.value, provider, type, value },
      `${host} points to ${other.value}, and we leave it. ${provider} needs ${type} ${value} there.`,
    );
  });
}

const unknownNotes = ({ unknown }: MailSituation): MailNote[] =>
  unknown.length === 0
    ? []
    : [
        note(
          'unknown_names',
          { names: unknown.join(', ') },
          `We could not look up ${unknown.join(', ')} just now. Before you add a record there, check whether there is one already: a second MX set, SPF or DMARC record does harm.`,
        ),
      ];

/** Returns the DKIM steps that are left to do manually. */
function dkimNotes(request: MailRequest): MailNote[] {
  const { provider, domain } = request;
  const setup = provider.dkim;
  if (setup.kind === 'known' || !lacksDkim(request)) return [];
  const { where } = setup;
  if (setup.kind === 'targets') {
    const names = setup.selectors.map((one) => `${one}._domainkey.${domain}`).join(' and ');
    return [
      note(
        'dkim_targets',
        { where, names },
        `Sign your mail (DKIM): ${where} shows where ${names} must point; add these CNAME records, or pass the targets as "dkim".`,
      ),
    ];
  }
  const name = setup.selector === null ? 'the name that it shows' : `${setup.selector}._domainkey.${domain}`;
  return [
    note(
      'dkim_key',
      { where, name },
      `Sign your mail (DKIM): create the key in ${where}, set it as a TXT record at ${name}, and then start signing there.`,
    ),
  ];
}
