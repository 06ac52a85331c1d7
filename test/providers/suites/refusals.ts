import type { RecordType } from '../../../src/domain/record.ts';
import { ProviderError } from '../../../src/providers/provider-error.ts';
import type { SeedRecord, ZoneLab } from '../lab.ts';
import { given, record, THEIR_TTL } from './given.ts';

export function refusalSuite(lab: () => ZoneLab): void {
  test.each<[string, SeedRecord, RecordType, string]>([
    [
      'a CNAME beside a TXT',
      { name: 'shop', type: 'TXT', ttl: THEIR_TTL, rdata: '"theirs"' },
      'CNAME',
      'edge.example.net',
    ],
    [
      'a CNAME beside another CNAME',
      { name: 'shop', type: 'CNAME', ttl: THEIR_TTL, rdata: 'their.example.net.' },
      'CNAME',
      'e.example.net',
    ],
    [
      'a TXT beside a CNAME',
      { name: 'shop', type: 'CNAME', ttl: THEIR_TTL, rdata: 'their.example.net.' },
      'TXT',
      'ours',
    ],
  ])('%s is a conflict, and the zone stays unchanged', (_, seed, type, value) =>
    expectConflict(lab(), seed, type, value),
  );

  test('a CNAME at the apex and a name outside the zone are refused as invalid', async () => {
    const { zone, account, handle } = await given(lab());
    for (const host of [zone.name, 'www.elsewhere.test', `x${zone.name}`]) {
      const change = { add: [record(host, 'CNAME', 'edge.example.net')], remove: [] };
      const failure: unknown = await account.apply(handle, change).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ProviderError);
      expect(failure).toMatchObject({ code: 'validation', mayHaveChanged: false });
    }
  });
}

/** Tests for zones that can contain unsupported types. */
export function unknownTypeSuite(lab: () => ZoneLab): void {
  test('a CNAME next to an unsupported type is a conflict, and the zone stays unchanged', () =>
    expectConflict(
      lab(),
      { name: 'shop', type: 'PTR', ttl: THEIR_TTL, rdata: 'p.example.net.' },
      'CNAME',
      'e.example.net',
    ));
}

async function expectConflict(lab: ZoneLab, seed: SeedRecord, type: RecordType, value: string): Promise<void> {
  const { zone, account, handle } = await given(lab, [seed]);
  const before = await zone.dump();

  const change = { add: [record(`shop.${zone.name}`, type, value)], remove: [] };
  await expect(account.apply(handle, change)).rejects.toMatchObject({ code: 'conflict', retryable: false });
  expect(await zone.dump()).toEqual(before);
}
