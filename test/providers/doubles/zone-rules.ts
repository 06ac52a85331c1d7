import { isIP } from 'node:net';

/** RFC 1034 section 3.6.2: a CNAME stands alone. `here` are the types that stand at the name already. */
export const breaksCname = (type: string, here: readonly string[]): boolean =>
  here.length > 0 && (type === 'CNAME' || here.includes('CNAME'));

/** Whether a value can be an address of this type; values of other types are not judged here. */
export const isBadAddress = (type: string, value: string): boolean =>
  (type === 'A' && isIP(value) !== 4) || (type === 'AAAA' && isIP(value) !== 6);

/** The priority and the rest of an MX or SRV line of a zone file. */
export function priorityAndRest(rdata: string): { priority: number; rest: string } {
  const [, priority = '0', rest = ''] = /^(\d+)\s+(.*)$/s.exec(rdata.trim()) ?? [];
  return { priority: Number(priority), rest: rest.replace(/\.$/, '') };
}
