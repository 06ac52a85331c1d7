import type { Answer } from 'dns-packet';
import { RCODE } from '../../../src/dns/message.ts';
import type { Lie } from './lying-server.ts';

/** Negative answers of the customer's zone (RFC 2308): a name without such records, and a name that does not exist. */
export const soa: Answer = {
  type: 'SOA',
  name: 'customer.test',
  ttl: 3_600,
  data: {
    mname: 'ns0.customer.test',
    rname: 'h.customer.test',
    serial: 1,
    refresh: 1,
    retry: 1,
    expire: 1,
    minimum: 600,
  },
};
export const nodata: Lie = { authorities: [soa] };
export const nxdomain: Lie = { rcode: RCODE.NXDOMAIN, authorities: [soa] };
