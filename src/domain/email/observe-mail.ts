import type { Found, Lookup } from '../observation/alias-path.ts';
import type { ObservedType } from '../observation/observation.ts';
import type { Named } from '../zone/zone-record.ts';
import { hostsOf } from '../zone/zone-record.ts';
import { writableRecords, type MailRequest } from './email-records.ts';
import type { MailSituation } from './email-plan.ts';

/** Returns the live records at the names of a mail setup. Only authoritative servers are asked. */
export async function observeMail(request: MailRequest, lookup: Lookup): Promise<MailSituation> {
  const wanted = writableRecords(request);
  const questions = hostsOf([{ host: request.domain }, ...wanted]).flatMap((host) =>
    typesAt(host, request, wanted).map((type) => ({ host, type })),
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
