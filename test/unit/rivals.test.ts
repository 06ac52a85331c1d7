import type { DnsRecord, RecordType } from '../../src/domain/record.ts';
import { rivalFindings } from '../../src/domain/zone/rivals.ts';

const record = (host: string, type: RecordType, value: string): DnsRecord => ({
  host,
  type,
  value,
  ttl: 300,
  priority: null,
});

test.each([
  ['another CNAME target', record('a.shop.com', 'CNAME', 'x.net'), record('a.shop.com', 'CNAME', 'y.net'), true],
  [
    'the same CNAME in another spelling',
    record('a.shop.com', 'CNAME', 'x.net'),
    record('a.shop.com', 'CNAME', 'X.net.'),
    false,
  ],
  ['a CNAME at another name', record('a.shop.com', 'CNAME', 'x.net'), record('b.shop.com', 'CNAME', 'y.net'), false],
  [
    'another DMARC policy',
    record('_dmarc.shop.com', 'TXT', 'v=DMARC1; p=none'),
    record('_dmarc.shop.com', 'TXT', 'v=DMARC1; p=reject'),
    true,
  ],
  ['another SPF policy', record('shop.com', 'TXT', 'v=spf1 a ~all'), record('shop.com', 'TXT', 'v=spf1 mx ~all'), true],
  [
    'another TXT next to an SPF policy',
    record('shop.com', 'TXT', 'v=spf1 a ~all'),
    record('shop.com', 'TXT', 'verify=1'),
    false,
  ],
  ['another MX record', record('shop.com', 'MX', 'a.net'), record('shop.com', 'MX', 'b.net'), false],
] as const)('%s that an earlier connection wants: conflict %#', (_what, wanted, earlier, conflicts) => {
  expect(rivalFindings([wanted], [earlier]).map(({ code, record: about }) => [code, about])).toEqual(
    conflicts ? [['record_conflict', wanted]] : [],
  );
});
