import { changeOf, plan } from '../../src/domain/plan.ts';
import type { DnsRecord, RecordType } from '../../src/domain/record.ts';
import { undo } from '../../src/domain/undo.ts';
import type { Account, Zone } from '../../src/providers/contract.ts';
import { unquoteTxt } from '../../src/providers/txt.ts';
import { ProviderError } from '../../src/providers/provider-error.ts';
import type { Laboratory, LaboratoryZone, SeedRecord } from './laboratory.ts';
import { failureSuite } from './conformance-failures.ts';

/** The contract of src/providers/contract.ts as tests. Every adapter passes all of them; there is nothing to opt out of. */
export function conformance(name: string, start: () => Promise<Laboratory>): void {
  describe(`${name} keeps the provider contract`, () => {
    let lab: Laboratory;
    beforeAll(async () => {
      lab = await start();
    });
    afterAll(() => lab.stop());

    describe('values', () => valueSuite(() => lab));
    describe('names', () => nameSuite(() => lab));
    describe('other people’s records', () => foreignSuite(() => lab));
    describe('again, and at the same time', () => repetitionSuite(() => lab));
    describe('refusals before the wire', () => refusalSuite(() => lab));
    describe('when things go wrong', () => failureSuite(() => lab));
  });
}

/** Inside the range, and on the list, of every provider; theirs differs from ours so that a mix-up shows. */
const OUR_TTL = 3600;
const THEIR_TTL = 7200;

export const record = (host: string, type: RecordType, value: string, more: Partial<DnsRecord> = {}): DnsRecord => ({
  host,
  type,
  value,
  ttl: OUR_TTL,
  priority: null,
  ...more,
});

/** The laboratory's zone, an account on it, and the zone as the account sees it. */
export async function given(lab: Laboratory, seed: readonly SeedRecord[] = []) {
  const zone = await lab.freshZone(seed);
  const account = zone.open();
  return { zone, account, handle: await handleOf(account, zone) };
}

async function handleOf(account: Account, zone: LaboratoryZone): Promise<Zone> {
  const handle = await account.findZone(zone.name);
  if (!handle) throw new Error(`The account does not find ${zone.name}.`);
  return handle;
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

function valueSuite(lab: () => Laboratory): void {
  test('each type it declares is written, read back the same, and removed without a trace', async () => {
    const { zone, account, handle } = await given(lab());
    for (const type of lab().descriptor.capabilities.record_types) {
      const { label, value, priority } = SAMPLES[type];
      const wanted = record(label === '' ? zone.name : `${label}.${zone.name}`, type, value, { priority });
      const before = await zone.dump();

      const { changed, standing } = await account.apply(handle, { add: [wanted], remove: [] });
      expect(changed).toBe(true);
      expect(standing).toMatchObject([wanted]);
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
  ])('a TXT value %s comes back to the byte, or is refused as the descriptor says', async (_, value) => {
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

  test('a name with 120 values, or as many as it can have, is read whole', async () => {
    const length = Math.min(120, lab().descriptor.limits.set_values);
    const values = Array.from({ length }, (_, i) => `value-${i}`);
    const seed = values.map((value) => ({ name: 'many', type: 'TXT', ttl: THEIR_TTL, rdata: `"${value}"` }));
    const { zone, account, handle } = await given(lab(), seed);

    const read = await account.records(handle, [`many.${zone.name}`]);

    expect(read.map(({ value }) => value).sort()).toEqual(values.sort());
  });

  test('a TTL outside the provider’s range is moved into it, and the answer says what stands', async () => {
    const { zone, account, handle } = await given(lab());
    const { standing } = await account.apply(handle, {
      add: [record(zone.name, 'TXT', 'short', { ttl: 1 })],
      remove: [],
    });
    expect(standing).toMatchObject([{ ttl: Math.max(1, lab().descriptor.limits.ttl.min) }]);
  });
}

function nameSuite(lab: () => Laboratory): void {
  test.each(['', 'www', '_dmarc', 'a.b.c', '*', '*.wild', 'xn--bcher-kva'])(
    'a record at "%s" stands there',
    async (name) => {
      const { zone, account, handle } = await given(lab());
      const wanted = record(name === '' ? zone.name : `${name}.${zone.name}`, 'TXT', 'here');

      await account.apply(handle, { add: [wanted], remove: [] });

      const read = await account.records(handle, [wanted.host]);
      expect(read.filter(({ type }) => type === 'TXT')).toMatchObject([wanted]);
    },
  );

  test('records at other names are not returned, however close', async () => {
    const { zone, account, handle } = await given(lab(), [
      { name: 'www', type: 'A', ttl: THEIR_TTL, rdata: '192.0.2.1' },
      { name: 'a.www', type: 'A', ttl: THEIR_TTL, rdata: '192.0.2.2' },
      { name: 'xwww', type: 'A', ttl: THEIR_TTL, rdata: '192.0.2.3' },
    ]);
    expect(await account.records(handle, [`www.${zone.name}`])).toMatchObject([{ value: '192.0.2.1' }]);
  });

  test('a wildcard does not answer for names that hold nothing', async () => {
    const { zone, account, handle } = await given(lab(), [{ name: '*', type: 'TXT', ttl: THEIR_TTL, rdata: '"wild"' }]);
    expect(await account.records(handle, [`shop.${zone.name}`])).toEqual([]);
    expect(await account.records(handle, [`*.${zone.name}`])).toMatchObject([{ value: 'wild' }]);
  });

  test('the zone of a host is found from any depth, and a foreign host has none', async () => {
    const { zone, account } = await given(lab());
    expect(await account.findZone(`deep.down.${zone.name}`)).toMatchObject({ name: zone.name });
    expect(await account.findZone('shop.nobody-has-this.test')).toBeUndefined();
  });

  test('verify names the zones that the credential is good for', async () => {
    const { zone, account } = await given(lab());
    expect((await account.verify()).map(({ name }) => name)).toContain(zone.name);
  });
}

/** Spelled so that decoding and encoding again would change them: odd chunks, needless escapes, a TTL that is not ours. */
const SPELLINGS: readonly SeedRecord[] = [
  { name: '_token', type: 'TXT', ttl: THEIR_TTL, rdata: '"theirs, in " "two parts"' },
  { name: '_token', type: 'TXT', ttl: THEIR_TTL, rdata: String.raw`"quoted \"inside\" it"` },
  { name: '_token', type: 'TXT', ttl: THEIR_TTL, rdata: '"google-site-verification=abc"' },
];

const foreign = (lab: Laboratory): SeedRecord[] => SPELLINGS.filter(({ rdata }) => canHold(lab, unquoteTxt(rdata)));

function canHold({ descriptor: { limits } }: Laboratory, value: string): boolean {
  const isExcluded = (character: string) => limits.txt_excludes.includes(character);
  return Buffer.byteLength(value) <= limits.txt_bytes && !Array.from(value).some(isExcluded);
}

function foreignSuite(lab: () => Laboratory): void {
  test('our value beside foreign ones takes their TTL, and its removal leaves them byte for byte', async () => {
    const { zone, account, handle } = await given(lab(), foreign(lab()));
    const before = await zone.dump();
    const ours = record(`_token.${zone.name}`, 'TXT', 'ours', { ttl: 14_400 });

    const { standing } = await account.apply(handle, { add: [ours], remove: [] });
    expect(standing).toMatchObject([{ value: 'ours', ttl: THEIR_TTL }]);
    const during = await zone.dump();
    expect(during).toHaveLength(before.length + 1);
    expect(during).toEqual(expect.arrayContaining(before));

    await account.apply(handle, { add: [], remove: [ours] });
    expect(await zone.dump()).toEqual(before);
  });

  test('a plan that replaces an address is undone to the byte', async () => {
    const { zone, account, handle } = await given(lab(), [
      { name: 'shop', type: 'A', ttl: THEIR_TTL, rdata: '192.0.2.10' },
      { name: 'shop', type: 'A', ttl: THEIR_TTL, rdata: '192.0.2.11' },
      { name: 'shop', type: 'AAAA', ttl: 14_400, rdata: '2001:db8::10' },
      ...foreign(lab()),
    ]);
    const before = await zone.dump();
    const desired = [
      record(`shop.${zone.name}`, 'CNAME', 'edge.example.net'),
      record(`_token.${zone.name}`, 'TXT', 'ours'),
    ];
    const hosts = desired.map(({ host }) => host);

    const current = await account.records(handle, hosts);
    const made = plan({ current, desired, owned: [], policy: 'replace' });
    await account.apply(handle, changeOf(made));
    expect(await account.records(handle, hosts)).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: 'CNAME', value: 'edge.example.net', ttl: OUR_TTL })]),
    );

    await account.apply(handle, undo(await account.records(handle, hosts), made.creates).change);
    expect(await zone.dump()).toEqual(before);
  });
}

function repetitionSuite(lab: () => Laboratory): void {
  test('the same change again changes nothing, and says so', async () => {
    const { zone, account, handle } = await given(lab(), foreign(lab()));
    const change = {
      add: [record(`_token.${zone.name}`, 'TXT', 'ours'), record(`www.${zone.name}`, 'A', '192.0.2.1')],
      remove: [record(`_token.${zone.name}`, 'TXT', 'never stood')],
    };
    expect(await account.apply(handle, change)).toMatchObject({ changed: true });
    const after = await zone.dump();

    expect(await zone.open().apply(handle, change)).toMatchObject({
      changed: false,
      standing: [{ value: 'ours' }, {}],
    });
    expect(await zone.dump()).toEqual(after);
  });

  test('a change of which half stands already completes the other half', async () => {
    const { zone, account, handle } = await given(lab());
    const first = record(`_token.${zone.name}`, 'TXT', 'first');
    const second = record(`_token.${zone.name}`, 'TXT', 'second');
    await account.apply(handle, { add: [first], remove: [] });

    await account.apply(handle, { add: [first, second], remove: [] });

    const read = await account.records(handle, [first.host]);
    expect(read.map(({ value }) => value).sort()).toEqual(['first', 'second']);
  });

  test('writers of one set at the same moment lose nothing', async () => {
    const { zone, handle } = await given(lab(), foreign(lab()));
    const before = await zone.dump();
    const values = ['one', 'two', 'three', 'four', 'five'];

    await Promise.all(
      values.map((value) =>
        zone.open().apply(handle, { add: [record(`_token.${zone.name}`, 'TXT', value)], remove: [] }),
      ),
    );

    const after = await zone.dump();
    expect(after).toEqual(expect.arrayContaining(before));
    expect(after).toHaveLength(before.length + values.length);
  });

  test('a CNAME and a TXT set at the same moment at one name do not both stand', async () => {
    const { zone, account, handle } = await given(lab());
    const rivals = [
      record(`shop.${zone.name}`, 'CNAME', 'edge.example.net'),
      record(`shop.${zone.name}`, 'TXT', 'ours', { ttl: 600 }),
    ];

    const outcomes = await Promise.allSettled(
      rivals.map((rival) => zone.open().apply(handle, { add: [rival], remove: [] })),
    );

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } });
    expect(await account.records(handle, [`shop.${zone.name}`])).toHaveLength(1);
  });

  test('writers of one value at the same moment write it once', async () => {
    const { zone, account, handle } = await given(lab());
    const wanted = record(`_token.${zone.name}`, 'TXT', 'same');

    await Promise.all([1, 2, 3].map(() => zone.open().apply(handle, { add: [wanted], remove: [] })));

    expect(await account.records(handle, [wanted.host])).toHaveLength(1);
  });
}

function refusalSuite(lab: () => Laboratory): void {
  test.each<[string, SeedRecord, RecordType, string]>([
    [
      'a CNAME beside a TXT',
      { name: 'shop', type: 'TXT', ttl: THEIR_TTL, rdata: '"theirs"' },
      'CNAME',
      'edge.example.net',
    ],
    [
      'a CNAME beside a type we do not speak',
      { name: 'shop', type: 'PTR', ttl: THEIR_TTL, rdata: 'p.example.net.' },
      'CNAME',
      'e.example.net',
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
  ])('%s is a conflict, and the zone stays as it is', async (_, seed, type, value) => {
    const { zone, account, handle } = await given(lab(), [seed]);
    const before = await zone.dump();

    const change = { add: [record(`shop.${zone.name}`, type, value)], remove: [] };
    await expect(account.apply(handle, change)).rejects.toMatchObject({ code: 'conflict', retryable: false });
    expect(await zone.dump()).toEqual(before);
  });

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
