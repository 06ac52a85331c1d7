import {
  afterChangeChecked,
  afterChangeWritten,
  changeTo,
  isChangePending,
  NO_CHANGE,
} from '../../src/domain/connection/record-change.ts';
import type { DnsRecord, RecordType } from '../../src/domain/record.ts';

const record = (host: string, type: RecordType, value: string): DnsRecord => ({
  host: `${host}.shop.com`,
  type,
  value,
  ttl: 300,
  priority: null,
});
const now = new Date('2026-01-01T00:00:00Z');
const from = (...desired_records: DnsRecord[]) => ({ desired_records, retiring_records: [] as DnsRecord[] });
const retiring = (next: DnsRecord[], before: ReturnType<typeof from>) =>
  changeTo(next, before, { isProved: true, now }).retiring_records;

describe('a change of the records', () => {
  const [old, other] = [record('s1._domainkey', 'CNAME', 'old.net'), record('s2._domainkey', 'CNAME', 'new.net')];

  test('keeps our old records at other names until the new ones are seen, and then removes them', () => {
    const change = changeTo([other], from(old), { isProved: true, now });
    expect(change).toEqual({ record_change: 'write', record_changed_at: now, retiring_records: [old] });
    const written = { ...change, ...afterChangeWritten(change) };
    expect(written.record_change).toBe('see');
    expect(afterChangeChecked(written, 'mismatch')).toEqual({});
    expect(afterChangeChecked(written, 'unknown')).toEqual({});
    const seen = { ...written, ...afterChangeChecked(written, 'match') };
    expect(seen).toMatchObject({ record_change: 'remove', retiring_records: [old] });
    expect(afterChangeWritten(seen)).toEqual(NO_CHANGE);
  });

  test('ends with the check that sees the new records if nothing is to be removed', () => {
    const change = changeTo([old, other], from(old), { isProved: true, now });
    expect(change.retiring_records).toEqual([]);
    expect(afterChangeChecked({ ...change, record_change: 'see' }, 'match')).toEqual(NO_CHANGE);
  });

  test.each([
    ['a CNAME', record('s1._domainkey', 'CNAME', 'a.net'), record('s1._domainkey', 'CNAME', 'b.net'), []],
    ['a DKIM key', record('s1._domainkey', 'TXT', 'v=DKIM1; p=a'), record('s1._domainkey', 'TXT', 'v=DKIM1; p=b'), []],
    ['a DMARC policy', record('_dmarc', 'TXT', 'v=DMARC1; p=none'), record('_dmarc', 'TXT', 'v=DMARC1; p=reject'), []],
    ['MTA-STS', record('_mta-sts', 'TXT', 'v=STSv1; id=1'), record('_mta-sts', 'TXT', 'v=STSv1; id=2'), []],
    ['TLS reports', record('_smtp._tls', 'TXT', 'v=TLSRPTv1; a'), record('_smtp._tls', 'TXT', 'v=TLSRPTv1; b'), []],
    ['BIMI', record('default._bimi', 'TXT', 'v=BIMI1; l=a'), record('default._bimi', 'TXT', 'v=BIMI1; l=b'), []],
    ['SPF', record('mail', 'TXT', 'v=spf1 a ~all'), record('mail', 'TXT', 'v=spf1 mx ~all'), []],
  ] as const)('replaces %s in one change, because its name holds one value', (_what, before, next, expected) => {
    expect(retiring([next], from(before))).toEqual(expected);
  });

  test('keeps another TXT or MX record at the same name next to the new one', () => {
    const text = record('shop', 'TXT', 'verify=old');
    expect(retiring([record('shop', 'TXT', 'verify=new')], from(text))).toEqual([text]);
    const mail = record('shop', 'MX', 'old.net');
    expect(retiring([record('shop', 'MX', 'new.net')], from(mail))).toEqual([mail]);
  });

  test('a second change also retires what the first one had not removed, except what is wanted again', () => {
    const first = changeTo([other], from(old), { isProved: true, now });
    const third = record('s3._domainkey', 'CNAME', 'third.net');
    expect(retiring([third], { desired_records: [other], retiring_records: first.retiring_records })).toEqual([
      other,
      old,
    ]);
    expect(retiring([old], { desired_records: [other], retiring_records: first.retiring_records })).toEqual([other]);
  });

  test('of an unproved connection needs no work, because nothing is written', () => {
    expect(changeTo([other], from(old), { isProved: false, now })).toEqual(NO_CHANGE);
  });

  test('is pending for the stall time and no longer', () => {
    const change = { record_change: 'see', record_changed_at: now } as const;
    expect(isChangePending(change, now.getTime() + 59_999, 60_000)).toBe(true);
    expect(isChangePending(change, now.getTime() + 60_000, 60_000)).toBe(false);
    expect(isChangePending(NO_CHANGE, now.getTime(), 60_000)).toBe(false);
  });
});
