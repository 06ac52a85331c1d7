import type { Found, Lookup } from '../observation/alias-path.ts';
import type { ObservedType } from '../observation/observation.ts';
import type { Named } from '../zone/zone-record.ts';
import { hostsOf } from '../zone/zone-record.ts';
import { writableRecords, type MailRequest } from './email-records.ts';
import type { MailSituation } from './email-plan.ts';

/** What live DNS holds at the names that the wish is about. Only authoritative servers are asked, as everywhere. */
export async function observeMail(wish: MailRequest, lookup: Lookup): Promise<MailSituation> {
  const wanted = writableRecords(wish);
  const questions = hostsOf([{ host: wish.domain }, ...wanted]).flatMap((host) =>
    typesAt(host, wish, wanted).map((type) => ({ host, type })),
  );
  const answers = await Promise.all(
    questions.map(async ({ host, type }) => ({ host, type, found: await lookup(host, type) })),
  );
  return {
    current: answers.flatMap(({ host, type, found }) => recordsOf(host, type, found, wanted)),
    unknown: hostsOf(answers.filter(({ found }) => found.cause !== null)),
  };
}

const typesAt = (host: string, { domain }: MailRequest, wanted: readonly Named[]): ObservedType[] => {
  if (host === domain) return ['MX', 'TXT'];
  return wanted.some((record) => record.host === host && record.type === 'CNAME') ? ['A'] : ['TXT'];
};

/** One server's word tells no priority, so a value that is wanted counts as standing with the priority it is wanted with. */
function recordsOf(host: string, type: ObservedType, { values, alias }: Found, wanted: readonly Named[]): Named[] {
  const standing =
    alias === undefined ? values.map((value) => ({ type, value })) : [{ type: 'CNAME' as const, value: alias }];
  return standing.map((one) => {
    const same = wanted.find(
      (record) => record.host === host && record.type === one.type && record.value === one.value,
    );
    return {
      host,
      type: one.type,
      value: one.value,
      priority: same?.priority ?? (one.type === 'MX' ? 0 : null),
    };
  });
}
