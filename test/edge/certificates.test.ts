import { MockActivityEnvironment } from '@temporalio/testing';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext, rootCertificates } from 'node:tls';
import { z } from 'zod';
import { X509Certificate } from 'node:crypto';
import { createActivities } from '../../activities/index.ts';
import { judgeImport } from '../../src/certificates/imported.ts';
import { caddySource } from '../../src/cli/import/caddy.ts';
import { Findings, type ImportRow } from '../../src/cli/import/source.ts';
import { getConnection } from '../../src/db/connection/connections.ts';
import { recordRenewal, reserveOrder, settleOrder } from '../../src/db/certificate/certificate-orders.ts';
import { sql } from '../../src/db/pool.ts';
import { registrableDomain } from '../../src/dns/suffix.ts';
import { StepSemaphore } from '../../src/net/step-semaphore.ts';
import type { Certificates } from '../../src/domain/certificate/certificate.ts';
import { createDoctor } from '../../src/domain/certificate/doctor.ts';
import { REAL_PACE } from '../../src/domain/connection/schedule.ts';
import type { Observer } from '../../src/domain/observation/observer.ts';
import type { Checker, Subject } from '../../src/domain/observation/check.ts';
import type { DnsRecord } from '../../src/domain/record.ts';
import { refusalInLog } from '../../src/edge/caddy-log.ts';
import { edgeCertificates } from '../../src/edge/certificates.ts';
import { noOrdering } from '../support/fixtures/ordering.ts';
import { testProviderAccess } from '../support/fixtures/provider-access.ts';
import { validatingObserver, wantedRecord } from '../support/fixtures/dns-lab.ts';
import { startEdgeLab, type EdgeLab } from '../support/fixtures/edge-lab.ts';
import type { Pebble } from '../support/servers/pebble.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const DAY = 86_400_000;
const never = new AbortController().signal;
const zoneOf = (name: string): string => name.split('.').slice(1).join('.');

const trusting = (roots: string[]) => {
  const context = createSecureContext({ ca: [...rootCertificates, ...roots] });
  return () => Promise.resolve(context);
};

const certificatesAt = (
  lab: EdgeLab,
  {
    port = lab.caddy.httpsPort,
    observer = lab.dns.observer,
    accounts = lab.authorities.map(({ directoryUrl }) => directoryUrl),
  }: { port?: number; observer?: Observer; accounts?: string[] } = {},
): Certificates =>
  edgeCertificates({
    pool: lab.control.pool,
    address: { host: '127.0.0.1', port, trust: trusting(lab.authorities.map(({ root }) => root)) },
    authority: {
      accounts,
      refusal: (name, since) => refusalInLog(lab.caddy.logFile, name, since, lab.authorities.length),
    },
    doctor: createDoctor(() => observer, { identities: ['letsencrypt.org'] }),
    registeredDomain: registrableDomain,
  });

const subjectOf = (hostname: string, desiredRecords: DnsRecord[] = []): Subject => ({
  tenantId: '',
  hostname,
  challenge: { name: '', value: '' },
  desiredRecords,
  liveAt: null,
  nameservers: null,
});

const ordersFor = (lab: EdgeLab, hostname: string) =>
  lab.control.pool.anyFirst(sql.type(z.object({ outcome: z.string() }))`
    SELECT outcome FROM certificate_orders WHERE hostname = ${hostname}
  `);

describe('a certificate', () => {
  let lab: EdgeLab;
  let certificates: Certificates;
  beforeAll(async () => {
    lab = await startEdgeLab();
    certificates = certificatesAt(lab);
  });
  afterAll(() => lab.stop());

  const admitted = async (): Promise<string> => {
    const name = await lab.name();
    await lab.control.connect(name, 'issuing_cert');
    return name;
  };
  const obtain = (name: string, wanted: DnsRecord[] = []) =>
    certificates.obtain(subjectOf(name, wanted), Date.now(), never);

  test('is obtained by our own handshake, and the order is recorded', async () => {
    const name = await admitted();
    const outcome = await obtain(name);
    const certificate = { ca: expect.stringContaining('Pebble') as string };
    expect(outcome).toMatchObject({ outcome: 'issued', certificate, findings: [] });
    expect(outcome.outcome === 'issued' && outcome.certificate.notAfter.getTime()).toBeGreaterThan(
      Date.now() + 80 * DAY,
    );
    expect(await ordersFor(lab, name)).toEqual(['issued']);
  });

  test('that CAA forbids is not ordered; once the record allows it, it is issued', async () => {
    const name = await admitted();
    await lab.dns.powerdns.set(zoneOf(name), name, 'CAA', '0 issue "other-ca.example"');
    const outcome = await obtain(name);
    expect(outcome).toMatchObject({ outcome: 'blocked', errorCode: 'caa_blocked' });
    expect(outcome.outcome === 'blocked' && outcome.findings[0]).toMatchObject({
      code: 'caa_blocked',
      severity: 'error',
      record: { host: name, type: 'CAA', value: '0 issue "letsencrypt.org"' },
    });
    expect(lab.pebble.orders).not.toContain(name);
    expect(await ordersFor(lab, name)).toEqual([]);
    await lab.dns.powerdns.set(zoneOf(name), name, 'CAA', '0 issue "other-ca.example"', '0 issue "letsencrypt.org"');
    expect(await obtain(name)).toMatchObject({ outcome: 'issued' });
  });

  test('of a live hostname is reported, with the record to add, as soon as CAA forbids its renewal', async () => {
    const name = await admitted();
    await obtain(name);
    const inspect = () => certificates.inspect(subjectOf(name), Date.now(), never);
    expect(await inspect()).toMatchObject({ shown: { source: 'edge' }, findings: [] });
    await lab.dns.powerdns.set(zoneOf(name), zoneOf(name), 'CAA', '0 issue "other-ca.example"');
    const warned = await inspect();
    expect(warned?.shown?.notAfter.getTime()).toBeGreaterThan(Date.now() + 80 * DAY);
    expect(warned?.findings).toMatchObject([
      { code: 'caa_blocked', record: { host: zoneOf(name), type: 'CAA', value: '0 issue "letsencrypt.org"' } },
    ]);
    await lab.dns.powerdns.set(zoneOf(name), zoneOf(name), 'CAA');
    expect(await inspect()).toMatchObject({ findings: [] });
  });

  test('that CAA forbids at the target of an alias is not ordered either', async () => {
    const name = await admitted();
    const target = `target.${zoneOf(name)}`;
    await lab.dns.powerdns.set(zoneOf(name), target, 'A', '127.0.0.1');
    await lab.dns.powerdns.set(zoneOf(name), target, 'CAA', '0 issue ";"');
    await lab.dns.powerdns.set(zoneOf(name), name, 'A');
    await lab.dns.powerdns.set(zoneOf(name), name, 'CNAME', `${target}.`);
    expect(await obtain(name)).toMatchObject({ outcome: 'blocked', errorCode: 'caa_blocked' });
    expect(lab.pebble.orders).not.toContain(name);
  });

  test.each([
    ['whose zone has broken DNSSEC', (zone: string) => zone],
    ['whose hostname alone fails validation, in a zone below a valid one', (zone: string) => `shop.${zone}`],
  ])('%s is not ordered; an edge with its own CA only warns', async (_case, brokenIn) => {
    const { powerdns } = lab.dns;
    const [zone, stranger] = [await lab.dns.domain({ signed: true }), await lab.dns.domain({ signed: true })];
    const [name, broken] = [`shop.${zone}`, brokenIn(zone)];
    if (broken !== zone) await powerdns.zone(broken, ['ns1.lab.test'], { signed: true });
    await powerdns.set(broken, name, 'A', '127.0.0.1');
    await lab.control.connect(name, 'issuing_cert');
    const [right = '', wrong = ''] = [...(await powerdns.ds(zone)), ...(await powerdns.ds(stranger))];
    const { observer, stop } = await validatingObserver(lab.dns, { [zone]: right, [broken]: wrong });
    const subject = subjectOf(name, [wantedRecord(name, 'A', '127.0.0.1')]);
    const finding = {
      code: 'dnssec_bogus',
      message: expect.stringContaining(`DNSSEC of ${broken} is broken`) as string,
    };

    const outcome = await certificatesAt(lab, { observer }).obtain(subject, Date.now(), never);
    expect(outcome).toMatchObject({ outcome: 'blocked', errorCode: 'dnssec_bogus' });
    expect(outcome.outcome === 'blocked' && outcome.findings).toMatchObject([{ ...finding, severity: 'error' }]);
    expect(lab.pebble.orders).not.toContain(name);
    expect(await ordersFor(lab, name)).toEqual([]);

    const warned = await certificatesAt(lab, { observer, accounts: [] }).obtain(subject, Date.now(), never);
    await stop();
    expect(warned).toMatchObject({ outcome: 'issued', findings: [{ ...finding, severity: 'warning' }] });
  });

  test('for a hostname with a foreign AAAA is not ordered, because CAs validate over IPv6 first', async () => {
    const name = await admitted();
    await lab.dns.powerdns.set(zoneOf(name), name, 'AAAA', '2001:db8::1');
    const outcome = await obtain(name, [wantedRecord(name, 'A', '127.0.0.1')]);
    expect(outcome).toMatchObject({ outcome: 'blocked', errorCode: 'stale_aaaa' });
    expect(lab.pebble.orders).not.toContain(name);
  });

  test('that the CA refuses shows the CA’s own words as the finding, and is not ordered again for minutes', async () => {
    const name = await admitted();
    lab.pebble.refuse(name, 'caa', `CAA record for ${name} prevents issuance`);
    const outcome = await obtain(name);
    expect(outcome).toMatchObject({ outcome: 'blocked', errorCode: 'caa_blocked', retryAfterMs: 5 * 60_000 });
    expect(outcome.outcome === 'blocked' && outcome.findings[0]?.message).toContain('prevents issuance');
    expect(await ordersFor(lab, name)).toEqual(['failed']);
  });

  test('that failed five times in an hour is not ordered again before the hour is over', async () => {
    const name = await admitted();
    const order = { hostname: name, registeredDomain: registrableDomain(name), account: lab.pebble.directoryUrl };
    const hourAgo = Date.now() - 3_600_000;
    for (const minutes of [10, 20, 30, 40, 50]) {
      const reserved = await reserveOrder(lab.control.pool, order, hourAgo + minutes * 60_000);
      if (reserved.outcome === 'reserved') await settleOrder(lab.control.pool, reserved.id, 'failed');
    }
    const now = Date.now();
    const outcome = await certificates.obtain(subjectOf(name), now, never);
    expect(outcome).toMatchObject({
      outcome: 'blocked',
      errorCode: 'ca_rate_limited',
      retryAfterMs: hourAgo + 70 * 60_000 - now,
      findings: [{ code: 'ca_rate_limited', severity: 'warning' }],
    });
    expect(outcome.outcome === 'blocked' && outcome.sentence).toContain('5 failed validations per name in an hour');
    expect(lab.pebble.orders).not.toContain(name);
  });

  test('for a hostname that cannot be validated shows the reason as the finding', async () => {
    const name = await admitted();
    await lab.dns.powerdns.set(zoneOf(name), name, 'A', '127.0.0.9');
    const outcome = await obtain(name);
    expect(outcome).toMatchObject({ outcome: 'blocked', errorCode: 'cert_failed' });
    expect(outcome.outcome === 'blocked' && outcome.sentence).toMatch(
      /refused .* \((connection|malformed|unauthorized)\)/,
    );
  });

  test('for a hostname that is not admitted costs no order, and reports that the edge could not ask', async () => {
    const name = await lab.name();
    const outcome = await obtain(name);
    expect(outcome).toMatchObject({ outcome: 'blocked', errorCode: 'edge_unreachable', couldNotAsk: true });
    expect(await ordersFor(lab, name)).toEqual([]);
  });

  test('obtained by a visitor’s handshake is recorded once, and the worker continues the same order', async () => {
    const name = await admitted();
    await Promise.all([1, 2, 3].map(() => lab.visit(name)));
    expect(await ordersFor(lab, name)).toEqual(['pending']);

    expect(await obtain(name)).toMatchObject({ outcome: 'issued' });
    expect(lab.pebble.orders.filter((ordered) => ordered === name)).toHaveLength(1);
    expect(await ordersFor(lab, name)).toEqual(['issued']);
  });

  test('is not obtained by a visitor’s handshake for a hostname that was never seen pointing here', async () => {
    const name = await lab.name();
    await lab.control.connect(name, 'propagating');

    await expect(lab.visit(name)).rejects.toThrow(/alert/);
    expect(lab.pebble.orders).not.toContain(name);
    expect(await ordersFor(lab, name)).toEqual([]);
  });

  test('edge-storage-is-lost.md: a restored copy serves without an order, and an empty storage is filled by first visits', async () => {
    const name = await lab.name();
    await lab.control.connect(name, 'live');
    const { serial } = await lab.visit(name);
    const copy = join(await tempFolder(), 'copy');
    const ordered = () => lab.pebble.orders.filter((one) => one === name).length;

    await lab.restartEdge(async (storage) => {
      await cp(storage, copy, { recursive: true });
      await rm(storage, { recursive: true });
    });
    const anew = await lab.visit(name);
    expect([anew.serial === serial, ordered()]).toEqual([false, 2]);

    await lab.restartEdge(async (storage) => {
      await rm(storage, { recursive: true });
      await cp(copy, storage, { recursive: true });
    });
    expect((await lab.visit(name)).serial).toBe(serial);
    expect(ordered()).toBe(2);
  });

  test('in the storage that Caddy wrote is found by an import, with its key', async () => {
    const name = await lab.name();
    await lab.control.connect(name, 'live');
    const { serial } = await lab.visit(name);
    const found = new Findings();
    const rows: ImportRow[] = [];
    await lab.restartEdge(async (storage) => {
      for await (const row of caddySource(join(storage, 'storage')).rows(found)) rows.push(row);
    });
    const [certificate] = rows.find(({ hostname }) => hostname === name)?.certificates ?? [];
    expect(new X509Certificate(certificate!.chain).serialNumber.toLowerCase()).toContain(serial.toLowerCase());
    const judged = judgeImport(name, certificate!, new Date());
    expect([judged.outcome, found.ignored.list()]).toEqual(['accepted', []]);
  });

  test('does not run out of time while the edge is unreachable', async () => {
    const name = await admitted();
    const outcome = await certificatesAt(lab, { port: 1 }).obtain(subjectOf(name), Date.now(), never);
    expect(outcome).toMatchObject({ outcome: 'blocked', errorCode: 'edge_unreachable', couldNotAsk: true });
  });
});

describe('a live connection', () => {
  let lab: EdgeLab;
  let providerAccess: ReturnType<typeof testProviderAccess>;
  let id: string;
  let name: string;
  beforeAll(async () => {
    const optionsDir = await tempFolder();
    await writeFile(join(optionsDir, 'renew.caddyfile'), 'renew_interval 1s\n');
    lab = await startEdgeLab({ validitySeconds: 30, profile: 'shortlived', renewalInfo: false, optionsDir });
    providerAccess = testProviderAccess(lab.control.pool);
    name = await lab.name();
    id = await lab.control.connect(name, 'issuing_cert');
  });
  afterAll(async () => {
    await providerAccess.http.close();
    await lab.stop();
  });

  const activitiesAt = () =>
    createActivities({
      pool: lab.control.pool,
      providerAccess,
      checkerFor: () => allRecordsThere,
      awaitChallenge: () => Promise.resolve(false),
      turns: new StepSemaphore(),
      lookupFor: () => () => Promise.resolve({ values: [], cause: null }),
      certificatesFor: () => certificatesAt(lab),
      cnameProof: true,
      ordering: noOrdering(lab.control.pool, providerAccess),
      probes: { edge: null, dial: { allowed: [] }, edgeHosts: [] },
      random: () => 0.5,
      recordLive: () => undefined,
      recordCheck: () => undefined,
    });
  const at = (now: number) =>
    new MockActivityEnvironment({ currentAttemptScheduledTimestampMs: now, scheduledTimestampMs: now });
  const watchAt = (now: number) =>
    at(now)
      .run(activitiesAt().watch, id, false)
      .catch(() => undefined);
  const row = async () => (await getConnection(lab.control.pool, id))!;
  const issuedEvents = () =>
    lab.control.pool.anyFirst(sql.type(z.object({ type: z.string() }))`
      SELECT type FROM events WHERE connection_id = ${id} AND type = 'ssl.issued'
    `);

  test('reports its first certificate, every renewal and an expiry, and keeps the newest expiry date', async () => {
    await at(Date.now()).run(activitiesAt().obtainCertificate, id);
    const first = await row();
    expect(first).toMatchObject({ state: 'live', certificate_status: 'issued' });
    expect(await issuedEvents()).toHaveLength(1);

    const { serial } = await lab.visit(name);
    await until(async () => (await lab.visit(name)).serial !== serial, 40_000);
    await watchAt(Date.now() + 3_600_001);
    const renewed = await row();
    expect(await issuedEvents()).toHaveLength(2);
    expect(renewed.certificate_not_after!.getTime()).toBeGreaterThan(first.certificate_not_after!.getTime());

    const later = renewed.certificate_checked_at!.getTime() + DAY;
    await watchAt(later);
    expect(await row()).toMatchObject({
      certificate_status: 'expired',
      findings: [expect.objectContaining({ code: 'cert_failed', severity: 'error' })],
    });
    await watchAt(later + 5 * 60_000);
    expect((await row()).findings).toHaveLength(1);
  }, 90_000);
});

const check = {
  verdict: 'match',
  sentence: 'All is there.',
  findings: [],
  providers: null,
  nameservers: null,
} as const;
const allRecordsThere: Checker = {
  paceOf: () => REAL_PACE,
  challenge: () => Promise.resolve({ ...check, findings: [], evidence: null, observed: [] }),
  cname: () => Promise.resolve({ ...check, findings: [], evidence: null, observed: [], isGone: false }),
  records: () => Promise.resolve({ ...check, findings: [], evidence: null, records: [] }),
};

describe('two CAs', () => {
  let lab: EdgeLab;
  let second: Pebble;
  beforeAll(async () => {
    lab = await startEdgeLab({ fallback: true });
    second = lab.authorities[1]!;
  });
  afterAll(() => lab.stop());

  const pointing = async (): Promise<string> => {
    const name = await lab.name();
    await lab.control.connect(name, 'issuing_cert');
    return name;
  };

  test('the second issues what the first refuses, and an order fails only if both refuse', async () => {
    const [one, both] = [await pointing(), await pointing()];
    lab.pebble.refuse(one, 'rateLimited', 'Too many certificates.');
    for (const authority of lab.authorities) authority.refuse(both, 'caa', 'CAA forbids it.');
    const certificates = certificatesAt(lab);
    expect(await certificates.obtain(subjectOf(one), Date.now(), never)).toMatchObject({ outcome: 'issued' });
    expect(second.orders).toContain(one);
    expect(await certificates.obtain(subjectOf(both), Date.now(), never)).toMatchObject({
      outcome: 'blocked',
      errorCode: 'caa_blocked',
    });
  });

  test('if the first CA’s limits are used up, the order counts at the second', async () => {
    const name = await pointing();
    const used = { hostname: name, registeredDomain: registrableDomain(name), account: lab.pebble.directoryUrl };
    for (let i = 0; i < 5; i++) await recordRenewal(lab.control.pool, used, Date.now() - i * 3_600_000);
    lab.pebble.refuse(name, 'rateLimited', 'Too many certificates.');
    expect(await certificatesAt(lab).obtain(subjectOf(name), Date.now(), never)).toMatchObject({ outcome: 'issued' });
    const accounts = await lab.control.pool.anyFirst(sql.type(z.object({ account: z.string() }))`
      SELECT account FROM certificate_orders WHERE hostname = ${name} ORDER BY begun_at DESC LIMIT 1
    `);
    expect(accounts).toEqual([second.directoryUrl]);
  });
});
