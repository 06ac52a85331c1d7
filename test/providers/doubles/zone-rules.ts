import { isIP } from 'node:net';

/**
 * Whether a record would break the rule that a CNAME must be alone (RFC 1034 section 3.6.2). `here` are the existing
 * types at the name.
 */
export const breaksCname = (type: string, here: readonly string[]): boolean =>
  here.length > 0 && (type === 'CNAME' || here.includes('CNAME'));

/** Whether a value is not a valid address of this type. Values of other types are not checked. */
export const isBadAddress = (type: string, value: string): boolean =>
  (type === 'A' && isIP(value) !== 4) || (type === 'AAAA' && isIP(value) !== 6);

/** Splits an MX or SRV line of a zone file into the priority and the rest. */
export function priorityAndRest(rdata: string): { priority: number; rest: string } {
  const [, priority = '0', rest = ''] = /^(\d+)\s+(.*)$/s.exec(rdata.trim()) ?? [];
  return { priority: Number(priority), rest: rest.replace(/\.$/, '') };
}
