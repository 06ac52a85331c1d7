import type { Found, Lookup } from '../observation/alias-path.ts';
import type { ObservedType } from '../observation/observation.ts';
import type { Named } from '../zone/zone-record.ts';
import { hostsOf } from '../zone/zone-record.ts';
import { writableRecords, type MailRequest } from './email-records.ts';
import type { MailSituation } from './email-plan.ts';
import { MAILBOX_PROVIDERS } from './mailbox-providers.ts';

/** Returns the live records at the names of a mail setup. Only authoritative servers are asked. */
export const observeMail = (request: MailRequest, lookup: Lookup): Promise<MailSituation> =>
  observe(request.domain, writableRecords(request), lookup);

/** Returns the live records at the names that any mailbox provider uses. */
export const observeAllMail = (domain: string, lookup: Lookup): Promise<MailSituation> =>
  observe(
    domain,
    MAILBOX_PROVIDERS.flatMap((provider) => writableRecords({ provider, domain, dkim: [] })),
    lookup,
  );

async function observe(domain: string, wanted: readonly Named[], lookup: Lookup): Promise<MailSituation> {
  const questions = hostsOf([{ host: domain }, ...wanted]).flatMap((host) =>
    typesAt(host, domain, wanted).map((type) => ({ host, type })),
  );
  const answers = await Promise.all(
    questions.map(async ({ host, type }) => ({ host, type, found: await lookup(host, type) })),
  );
  return {
    current: answers.flatMap(({ host, type, found }) => recordsOf(host, type, found, wanted)),
    unknown: hostsOf(answers.filter(({ found }) => found.cause !== null)),
  };
}

const typesAt = (host: string, domain: string, wanted: readonly Named[]): ObservedType[] => {
  if (host === domain) return ['MX', 'TXT'];
  return wanted.some((record) => record.host === host && record.type === 'CNAME') ? ['A'] : ['TXT'];
};

/** A single lookup does not return priorities, so a wanted value counts as present with its wanted priority. */
function recordsOf(host: string, type: ObservedType, { values, alias }: Found, wanted: readonly Named[]): Named[] {
  const standing =
    alias === undefined ? values.map((value) => ({ type, value })) : [{ type: 'CNAME' as const, value: alias }];
  return standing.map((one) => {
    const same = wanted.find(
      (record) => record.host === host && record.type === one.type && record.value === one.value,
    );
    return { host, type: one.type, value: one.value, priority: same?.priority ?? (one.type === 'MX' ? 0 : null) };
  });
}
