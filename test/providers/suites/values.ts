import type { DnsRecord, RecordType } from '../../../src/domain/record.ts';
import type { ZoneLab } from '../lab.ts';
import { canHold, given, record, THEIR_TTL } from './given.ts';

export function valueSuite(lab: () => ZoneLab): void {
  test('each declared type is written, read back unchanged, and removed completely', async () => {
    const { zone, account, handle } = await given(lab());
    for (const type of lab().descriptor.capabilities.record_types) {
      const { label, value, priority } = SAMPLES[type];
      const wanted = record(label === '' ? zone.name : `${label}.${zone.name}`, type, value, { priority });
      const before = await zone.dump();

      const { changed, present } = await account.apply(handle, { add: [wanted], remove: [] });
      expect(changed).toBe(true);
      expect(present).toMatchObject([wanted]);
      expect(await account.records(handle, [wanted.host])).toEqual(
        expect.arrayContaining([expect.objectContaining(wanted)]),
      );

      await account.apply(handle, { add: [], remove: [wanted] });
      expect(await zone.dump()).toEqual(before);
    }
  });

  const LONG = `v=DKIM1; k=rsa; p=${'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A'.repeat(16)}`;
  test.each([
    ['longer than 255 bytes', LONG],
    ['of exactly 255 bytes', 'x'.repeat(255)],
    ['with quotes', 'say "hello" twice: "hello"'],
    ['with backslashes', String.raw`C:\new\table \032 \"`],
    ['with semicolons, at signs and spaces', 'a; b;c  @ $ORIGIN ( not a comment )'],
    ['with text beyond ASCII', 'grüße, 世界'],
    ['without a byte', ''],
    ['that ends in a space', 'ours '],
  ])('a TXT value %s is read back to the byte, or refused as the descriptor states', async (_, value) => {
    const { zone, account, handle } = await given(lab());
    const wanted = record(`_token.${zone.name}`, 'TXT', value);

    if (!canHold(lab(), value)) {
      await expect(account.apply(handle, { add: [wanted], remove: [] })).rejects.toMatchObject({ code: 'validation' });
      return;
    }
    await account.apply(handle, { add: [wanted], remove: [] });

    expect(await account.records(handle, [wanted.host])).toMatchObject([wanted]);
    expect(await account.apply(handle, { add: [wanted], remove: [] })).toMatchObject({ changed: false });
  });

  test('a CAA value with parameters is read back unchanged, or refused as the descriptor states', async () => {
    if (!lab().descriptor.capabilities.caa) return;
    const { zone, account, handle } = await given(lab());
    const wanted = record(zone.name, 'CAA', '0 issue "letsencrypt.org; validationmethods=dns-01"');
    const applied = account.apply(handle, { add: [wanted], remove: [] });

    if (!canHold(lab(), wanted.value, 'CAA')) {
      await expect(applied).rejects.toMatchObject({ code: 'validation' });
      return;
    }
    expect(await applied).toMatchObject({ changed: true, present: [wanted] });
    expect(await account.apply(handle, { add: [wanted], remove: [] })).toMatchObject({ changed: false });
  });

  test('a name with 120 values, or with the maximum, is read completely', async () => {
    const length = Math.min(120, lab().descriptor.limits.set_values);
    const values = Array.from({ length }, (_, i) => `value-${i}`);
    const seed = values.map((value) => ({ name: 'many', type: 'TXT', ttl: THEIR_TTL, rdata: `"${value}"` }));
    const { zone, account, handle } = await given(lab(), seed);

    const read = await account.records(handle, [`many.${zone.name}`]);

    expect(read.map(({ value }) => value).sort()).toEqual(values.sort());
  });

  test('a TTL outside the provider’s range is moved into it, and the result contains the actual TTL', async () => {
    const { zone, account, handle } = await given(lab());
    const { present } = await account.apply(handle, {
      add: [record(zone.name, 'TXT', 'short', { ttl: 1 })],
      remove: [],
    });
    expect(present).toMatchObject([{ ttl: Math.max(1, lab().descriptor.limits.ttl.min) }]);
  });
}

const SAMPLES: Record<RecordType, Pick<DnsRecord, 'value' | 'priority'> & { label: string }> = {
  A: { label: 'a', value: '192.0.2.7', priority: null },
  AAAA: { label: 'aaaa', value: '2001:db8::7', priority: null },
  CNAME: { label: 'cname', value: 'edge.example.net', priority: null },
  ALIAS: { label: '', value: 'edge.example.net', priority: null },
  TXT: { label: 'txt', value: 'v=1; token=abc', priority: null },
  MX: { label: 'mx', value: 'mail.example.net', priority: 10 },
  CAA: { label: 'caa', value: '0 issue "letsencrypt.org"', priority: null },
  NS: { label: 'delegated', value: 'ns1.example.net', priority: null },
  SRV: { label: '_sip._tcp', value: '5 5060 sip.example.net', priority: 20 },
};
