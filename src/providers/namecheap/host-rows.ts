import { z } from 'zod';
import type { Addition, ZoneRecord } from '../../domain/zone/zone-record.ts';
import { fromRelative, relative } from '../toolkit/names.ts';
import { fromFlat } from '../toolkit/rdata.ts';
import type { RemainingChange } from '../toolkit/remaining-change.ts';
import type { HostList, HostRow } from './client.ts';

/** Whether a row is a redirect, which replaces the addresses of a name like an alias. TTL 0 means automatic. */
const isRedirect = (type: string): boolean => /^(URL|URL301|FRAME)$/.test(type);
const AUTOMATIC_TTL = 1_799;

export function fromRow(
  { id, name, type, address, mxPref, ttl, friendlyName, appTitle, isActive, isDynamic }: HostRow,
  zone: string,
): ZoneRecord {
  const value = isRedirect(type)
    ? ({ type: 'ALIAS', value: address, priority: null } as const)
    : fromFlat(type, address, mxPref);
  return {
    ...value,
    host: fromRelative(name, zone),
    ttl: ttl || AUTOMATIC_TTL,
    id,
    readOnly: !isActive || isDynamic,
    extra: { name, type, address, mxPref, friendlyName, appTitle },
  };
}

const Kept = z.object({
  name: z.string(),
  type: z.string(),
  address: z.string(),
  mxPref: z.number(),
  friendlyName: z.string().default(''),
  appTitle: z.string().default(''),
});

/** The preference of a record that is not an MX is ignored; Namecheap returns ten. */
const NO_PREFERENCE = 10;

function toRow({ host, type, value, ttl, priority, extra }: Addition, zone: string): HostRow {
  const own = {
    name: relative(host, zone, '@'),
    type,
    address: value,
    mxPref: priority ?? NO_PREFERENCE,
    friendlyName: '',
    appTitle: '',
  };
  return { ...own, ...Kept.safeParse(extra).data, id: '', ttl, isActive: true, isDynamic: false };
}

/** Returns the whole domain after a change, with every other row as it was read and in its place. */
export function changedHosts({ add, remove }: RemainingChange, { emailType, rows }: HostList, zone: string) {
  // Compares the content too: if a listing has no ids, one removal must not delete every row.
  const isLeaving = (row: HostRow) =>
    remove.some(
      ({ id, extra }) =>
        id === row.id && extra?.['name'] === row.name && extra['type'] === row.type && extra['address'] === row.address,
    );
  const after = [...rows.filter((row) => !isLeaving(row)), ...add.map((record) => toRow(record, zone))];
  return { rows: after, emailType: emailTypeFor(emailType, after) };
}

/** Namecheap serves MX records only with this mail setting, which requires at least one MX record. */
function emailTypeFor(before: string, rows: readonly HostRow[]): string {
  const hasMx = rows.some(({ type }) => type === 'MX');
  if (hasMx) return 'MX';
  return before === 'MX' ? 'NONE' : before;
}

const SETTABLE = /^(A|AAAA|ALIAS|CAA|CNAME|MX|MXE|NS|TXT|URL|URL301|FRAME)$/;

/** Returns the reason why a write would lose a part of the domain, or undefined. */
export function obstacleIn(
  { isOurDns, emailType, rows }: HostList,
  after: Pick<HostList, 'emailType'>,
): string | undefined {
  if (!isOurDns) return 'the domain does not use the name servers of Namecheap.';
  if (/^(OX|GMAIL)$/i.test(emailType))
    return 'the domain has mail at Namecheap, whose records the API cannot send back.';
  if (after.emailType === 'MX' && /^(FWD|MXE)$/i.test(emailType))
    return 'Namecheap forwards the mail of this domain; an MX record would stop that. Turn off the forwarding first.';
  const odd = rows.find(({ type, isActive, isDynamic }) => !SETTABLE.test(type) || !isActive || isDynamic);
  return (
    odd &&
    `${odd.type} ${odd.name} cannot be sent back by the API, so a write would lose it. Remove it first, or add the records manually.`
  );
}

/** Returns a row that should have stayed and is missing after the write. */
export function lostRow(kept: readonly HostRow[], now: readonly HostRow[]): HostRow | undefined {
  const present = now.map(keyOf);
  return kept.find((row) => {
    const at = present.indexOf(keyOf(row));
    if (at >= 0) present.splice(at, 1);
    return at < 0;
  });
}

const keyOf = ({ name, type, address, mxPref, ttl }: HostRow): string =>
  JSON.stringify([name.toLowerCase() || '@', type, address.replace(/\.$/, ''), type === 'MX' ? mxPref : 0, ttl || AUTOMATIC_TTL]); // prettier-ignore
