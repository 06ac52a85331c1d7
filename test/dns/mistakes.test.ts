import { challengeName } from '../../src/domain/connection/challenge.ts';
import { diagnoseCaa } from '../../src/domain/observation/caa-findings.ts';
import { diagnoseChallenge, diagnoseRecords } from '../../src/domain/observation/diagnosis.ts';
import type { Finding } from '../../src/domain/observation/finding.ts';
import { judgeChallenge, judgeRecords } from '../../src/domain/observation/verdict.ts';
import type { DnsRecord } from '../../src/domain/record.ts';
import { EDGE, startDnsLab, wantedRecord, type DnsLab } from '../support/fixtures/dns-lab.ts';

/** Common mistakes in DNS panels, made on a real server. Each has its finding and the record that fixes it. */
const TOKEN = 'dG9rZW4tb2YtdGhpcnR5LXR3by1ieXRlcw';

let lab: DnsLab;
beforeAll(async () => (lab = await startDnsLab()));
afterAll(() => lab.stop());

type Setter = (name: string, type: string, ...values: string[]) => Promise<void>;

async function newZone(): Promise<{ domain: string; hostname: string; set: Setter }> {
  const domain = await lab.domain();
  return { domain, hostname: `shop.${domain}`, set: (...record) => lab.powerdns.set(domain, ...record) };
}

const codes = (findings: Finding[]) => findings.map(({ code }) => code);

describe('the challenge', () => {
  async function check(hostname: string) {
    const challenge = { name: challengeName(hostname), value: TOKEN };
    const seen = await lab.observer.observeChallenge(hostname, challenge);
    return { judged: judgeChallenge(seen, challenge), findings: diagnoseChallenge(seen, challenge) };
  }

  const mistakes: [string, (zone: { domain: string; hostname: string; set: Setter }) => Promise<void>][] = [
    ['missing', () => Promise.resolve()],
    ['wrong_value', ({ hostname, set }) => set(challengeName(hostname), 'TXT', '"something else"')],
    ['quoted_value', ({ hostname, set }) => set(challengeName(hostname), 'TXT', `"\\"${TOKEN}\\""`)],
    ['challenge_at_bare_host', ({ hostname, set }) => set(hostname, 'TXT', `"${TOKEN}"`)],
    ['doubled_host', ({ hostname, domain, set }) => set(`${challengeName(hostname)}.${domain}`, 'TXT', `"${TOKEN}"`)],
    ['challenge_is_cname', ({ hostname, set }) => set(challengeName(hostname), 'CNAME', 'elsewhere.saas.test.')],
  ];

  test.each(mistakes)('%s', async (code, makeMistake) => {
    const zone = await newZone();
    await makeMistake(zone);
    const { judged, findings } = await check(zone.hostname);
    expect(judged.verdict).toBe('mismatch');
    expect(findings).toMatchObject([
      { code, severity: 'error', record: { host: challengeName(zone.hostname), type: 'TXT', value: TOKEN } },
    ]);
  });

  test.each([TOKEN.toLowerCase(), `${TOKEN} `, ` ${TOKEN}`, TOKEN.slice(1), `${TOKEN}x`])(
    'text that resembles the token is not the token: %p',
    async (almost) => {
      const { hostname, set } = await newZone();
      await set(challengeName(hostname), 'TXT', `"${almost}"`);
      const { judged, findings } = await check(hostname);
      expect(judged).toEqual({ verdict: 'mismatch', outcome: 'mismatch', observed: [almost] });
      expect(codes(findings)).toEqual(['wrong_value']);
    },
  );

  test('the token in several strings, next to other records, is the token', async () => {
    const { hostname, set } = await newZone();
    await set(challengeName(hostname), 'TXT', '"other"', `"${TOKEN.slice(0, 9)}" "${TOKEN.slice(9)}"`);
    const { judged, findings } = await check(hostname);
    expect(judged.verdict).toBe('match');
    expect(findings).toEqual([]);
  });

  test('a token behind a CNAME proves nothing', async () => {
    const { domain, hostname, set } = await newZone();
    await set(`proof.${domain}`, 'TXT', `"${TOKEN}"`);
    await set(challengeName(hostname), 'CNAME', `proof.${domain}.`);
    expect((await check(hostname)).judged.verdict).toBe('mismatch');
  });
});

describe('required records', () => {
  async function check(hostname: string, wanted: DnsRecord[]) {
    const seen = await lab.observer.observeRecords(hostname, wanted);
    return { judged: judgeRecords(seen, wanted), findings: diagnoseRecords(seen, wanted) };
  }

  const cname = (hostname: string) => [wantedRecord(hostname, 'CNAME', EDGE.target)];
  const address = (hostname: string) => [wantedRecord(hostname, 'A', EDGE.ipv4)];

  const mistakes: [
    string,
    (host: string) => DnsRecord[],
    (host: string, domain: string, set: Setter) => Promise<void>,
  ][] = [
    ['missing', cname, () => Promise.resolve()],
    ['wrong_value', cname, (host, _, set) => set(host, 'CNAME', 'other.saas.test.')],
    ['cname_conflict', cname, (host, _, set) => set(host, 'A', '198.51.100.7')],
    ['cname_conflict', cname, (host, _, set) => set(host, 'MX', '10 mail.saas.test.')],
    ['proxied', cname, (host, _, set) => set(host, 'A', '104.16.1.1', '172.64.2.2')],
    ['doubled_host', cname, (host, domain, set) => set(`${host}.${domain}`, 'CNAME', `${EDGE.target}.`)],
    ['wrong_value', address, (host, _, set) => set(host, 'A', '198.51.100.7')],
    ['wrong_value', address, (host, _, set) => set(host, 'CNAME', 'other.saas.test.')],
    ['extra_values', address, (host, _, set) => set(host, 'A', EDGE.ipv4, '198.51.100.7')],
    ['missing', address, (host, _, set) => set(host, 'TXT', '"unrelated"')],
    [
      'quoted_value',
      (host) => [wantedRecord(`_k.${host}`, 'TXT', 'v=1')],
      (host, _, set) => set(`_k.${host}`, 'TXT', `"\\"v=1\\""`),
    ],
    [
      'wrong_value',
      (host) => [wantedRecord(host, 'MX', 'mx.saas.test', 10)],
      (host, _, set) => set(host, 'MX', '20 mx.saas.test.'),
    ],
  ];

  test.each(mistakes)('%s', async (code, wantedAt, makeMistake) => {
    const { domain, hostname, set } = await newZone();
    const wanted = wantedAt(hostname);
    await makeMistake(hostname, domain, set);
    const { judged, findings } = await check(hostname, wanted);
    expect(judged).toMatchObject([{ verdict: 'mismatch', propagated: false }]);
    expect(findings).toMatchObject([{ code, severity: 'error', record: wanted[0] }]);
    expect(findings[0]?.fix).toContain(wanted[0]?.host);
  });

  test('stale_aaaa: a foreign AAAA next to the right A is reported although the A is right', async () => {
    const { hostname, set } = await newZone();
    await set(hostname, 'A', EDGE.ipv4);
    await set(hostname, 'AAAA', '2001:db8::bad');
    const { judged, findings } = await check(hostname, address(hostname));
    expect(judged).toMatchObject([{ verdict: 'match', propagated: true }]);
    expect(findings).toMatchObject([
      { code: 'stale_aaaa', fix: `Delete the AAAA record 2001:db8::bad at ${hostname}.` },
    ]);
  });

  test.each(['CNAME', 'ALIAS'] as const)(
    'flattened_ok: the addresses of a wanted %s are accepted instead of the alias',
    async (type) => {
      const { domain, set } = await newZone();
      await set(domain, 'A', EDGE.ipv4);
      await set(domain, 'AAAA', EDGE.ipv6);
      const { judged, findings } = await check(domain, [wantedRecord(domain, type, EDGE.target)]);
      expect(judged).toMatchObject([
        { verdict: 'match', propagated: true, observedValue: `${EDGE.ipv4}, ${EDGE.ipv6}` },
      ]);
      expect(codes(findings)).toEqual(['flattened_ok']);
    },
  );

  test('only some of the addresses of a flattened alias are not accepted', async () => {
    const { domain, set } = await newZone();
    await set(domain, 'A', EDGE.ipv4);
    const { judged, findings } = await check(domain, [wantedRecord(domain, 'ALIAS', EDGE.target)]);
    expect(judged).toMatchObject([{ verdict: 'mismatch' }]);
    expect(codes(findings)).toEqual(['wrong_value']);
  });

  test('a chain of aliases through the target is a match, and so is an alias to the wanted addresses', async () => {
    const { domain, hostname, set } = await newZone();
    await set(`www.${domain}`, 'CNAME', `${EDGE.target}.`);
    await set(hostname, 'CNAME', `www.${domain}.`);
    const both = [wantedRecord(hostname, 'A', EDGE.ipv4), wantedRecord(hostname, 'AAAA', EDGE.ipv6)];
    expect((await check(hostname, cname(hostname))).judged).toMatchObject([{ verdict: 'match', propagated: true }]);
    expect((await check(hostname, both)).judged).toMatchObject([{ verdict: 'match' }, { verdict: 'match' }]);
  });

  test('cached_until: the finding names a resolver with an older cached answer, and the time', async () => {
    const { hostname, set } = await newZone();
    await set(hostname, 'CNAME', 'old.saas.test.');
    await set(hostname, 'CNAME', `${EDGE.target}.`);
    await check(hostname, cname(hostname));
    const moved = [wantedRecord(hostname, 'CNAME', 'new.saas.test')];
    await set(hostname, 'CNAME', 'new.saas.test.');
    const { judged, findings } = await check(hostname, moved);
    expect(judged).toMatchObject([{ verdict: 'match', propagated: false }]);
    expect(findings).toMatchObject([{ code: 'cached_until', severity: 'info', fix: null }]);
    expect(findings[0]?.message).toMatch(/until \d{4}-\d\d-\d\dT[\d:.]+Z/);
  });
});

describe('the CAA records that a certificate authority finds', () => {
  const identities = ['letsencrypt.org'];

  async function examine(hostname: string) {
    const caa = await lab.observer.caa(hostname);
    return { caa, findings: diagnoseCaa(caa, 'edge', { identities }) };
  }

  test('without any CAA, every certificate authority may issue', async () => {
    const { hostname } = await newZone();
    const { caa, findings } = await examine(hostname);
    expect(caa).toMatchObject({ outcome: 'none' });
    expect(findings).toEqual([]);
  });

  test('caa_blocked: the first set on the way up decides, and the fix is at the same name', async () => {
    const { domain, hostname, set } = await newZone();
    await set(domain, 'CAA', '0 issue "digicert.com"');
    const { caa, findings } = await examine(hostname);
    expect(caa).toMatchObject({ outcome: 'found', at: domain });
    expect(findings).toMatchObject([
      {
        code: 'caa_blocked',
        severity: 'error',
        record: { host: domain, type: 'CAA', value: '0 issue "letsencrypt.org"' },
      },
    ]);
  });

  test.each([
    ['validationmethods=dns-01', 'The edge uses http-01 or tls-alpn-01, which validationmethods=dns-01 excludes.'],
    ['accounturi=https://ca.test/2', 'The edge uses https://ca.test/1, which accounturi=https://ca.test/2 excludes.'],
  ])('caa_blocked: %s excludes the edge, and the record of the fix allows it', async (parameter, sentence) => {
    const { domain, hostname, set } = await newZone();
    const own = { identities, accounts: { edge: ['https://ca.test/1'], ordered: ['https://ca.test/2'] } };
    await set(domain, 'CAA', `0 issue "letsencrypt.org; ${parameter}"`);
    const caa = await lab.observer.caa(hostname);
    const [finding] = diagnoseCaa(caa, 'edge', own);
    expect(finding).toMatchObject({ code: 'caa_blocked', severity: 'error', record: { host: domain, type: 'CAA' } });
    expect(finding!.message).toContain(sentence);
    expect(diagnoseCaa(caa, 'ordered', own)).toEqual([]);

    await set(hostname, 'CAA', `0 issue "letsencrypt.org; ${parameter}"`, finding!.record!.value);
    expect(diagnoseCaa(await lab.observer.caa(hostname), 'edge', own)).toEqual([]);
  });

  test('a set at the hostname itself hides the set of the domain', async () => {
    const { domain, hostname, set } = await newZone();
    await set(domain, 'CAA', '0 issue ";"');
    await set(hostname, 'CAA', '0 issue "letsencrypt.org"', '0 iodef "mailto:security@example.com"');
    expect((await examine(hostname)).findings).toEqual([]);
  });

  test('an alias has the set of its target', async () => {
    const [customer, target] = [await newZone(), await newZone()];
    await target.set(target.hostname, 'CAA', '0 issue "digicert.com"');
    await customer.set(customer.hostname, 'CNAME', `${target.hostname}.`);
    const { caa, findings } = await examine(customer.hostname);
    expect(caa).toMatchObject({ outcome: 'found', at: target.hostname });
    expect(codes(findings)).toEqual(['caa_blocked']);
  });
});
