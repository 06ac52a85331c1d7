import type { DnsRecord, RecordType } from '../../../src/domain/record.ts';
import type { Account, Zone } from '../../../src/providers/contract.ts';
import { unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { LabZone, SeedRecord, ZoneLab } from '../lab.ts';

/** A TTL that every provider accepts. Foreign records have another one, so that tests notice a mix-up. */
export const OUR_TTL = 3600;
export const THEIR_TTL = 7200;

export const record = (host: string, type: RecordType, value: string, more: Partial<DnsRecord> = {}): DnsRecord => ({
  host,
  type,
  value,
  ttl: OUR_TTL,
  priority: null,
  ...more,
});

/** Returns a zone of the lab, an account on it, and the zone as the account sees it. */
export async function given(lab: ZoneLab, seed: readonly SeedRecord[] = []) {
  const zone = await lab.freshZone(seed);
  const account = zone.open();
  return { zone, account, handle: await handleOf(account, zone) };
}

async function handleOf(account: Account, zone: LabZone): Promise<Zone> {
  const handle = await account.findZone(zone.name);
  if (!handle) throw new Error(`The account does not find ${zone.name}.`);
  return handle;
}

/** Spellings that decoding and encoding would change: unusual chunks, needless escapes, a foreign TTL. */
const SPELLINGS: readonly SeedRecord[] = [
  { name: '_token', type: 'TXT', ttl: THEIR_TTL, rdata: '"theirs, in " "two parts"' },
  { name: '_token', type: 'TXT', ttl: THEIR_TTL, rdata: String.raw`"quoted \"inside\" it"` },
  { name: '_token', type: 'TXT', ttl: THEIR_TTL, rdata: '"google-site-verification=abc"' },
];

export const foreign = (lab: ZoneLab): SeedRecord[] => SPELLINGS.filter(({ rdata }) => canHold(lab, unquoteTxt(rdata)));

export function canHold({ descriptor: { limits } }: ZoneLab, value: string, type: RecordType = 'TXT'): boolean {
  const isRefused = limits.refuses?.some((rule) => rule.type === type && new RegExp(rule.matching, 'u').test(value));
  return Buffer.byteLength(value) <= limits.txt_bytes && isRefused !== true;
}
