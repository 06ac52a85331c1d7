import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { saveCertificate } from '../../src/certificates/save.ts';
import { certificateOf } from '../../src/db/certificate/certificates.ts';
import { failureOf } from '../../src/db/certificate/acme-failures.ts';
import { getOrder, orderOfConnection } from '../../src/db/certificate/acme-orders.ts';
import { none, sql } from '../../src/db/pool.ts';
import { createTenant } from '../../src/db/tenant/tenants.ts';
import { beginOrder } from '../../src/ordering/begin.ts';
import { delegatedName } from '../../src/ordering/delegation.ts';
import { askRenewalTimes, renewDue } from '../../src/ordering/renewals.ts';
import { finishOrder } from '../../src/ordering/end.ts';
import { NotYet, type StepResult } from '../../src/domain/step.ts';
import { awaitPublished, finalize, place, publish, runStep, validate } from '../../src/ordering/steps.ts';
import { newPrivateKey } from '../../src/x509/keys.ts';
import { selfSigned } from '../../src/x509/self-signed.ts';
import {
  DELEGATION_ZONE,
  EDGE_ACCOUNT,
  someLabel,
  startOrderingLab,
  type OrderingLab,
} from '../support/fixtures/ordering-lab.ts';

const STEPS = [place, publish, awaitPublished, validate, finalize];

let lab: OrderingLab;
beforeAll(async () => {
  lab = await startOrderingLab();
});
afterAll(() => lab.stop());

const at = () => ({ now: Date.now(), signal: AbortSignal.timeout(60_000) });

async function begin(connection: { id: string; tenant_id: string; hostname: string }, replaces: string | null = null) {
  const { vault, directory } = lab.ordering;
  const order = { directory: directory!, replaces, now: new Date() };
  expect(await lab.pool.transaction((tx) => beginOrder(tx, vault, connection, order))).toBe(true);
  return (await orderOfConnection(lab.pool, connection.id))!.id;
}
const run = (id: string, step: (typeof STEPS)[number]): Promise<StepResult> => runStep(lab.ordering, id, step, at());
async function runAll(id: string): Promise<void> {
  for (const step of STEPS) expect(await run(id, step)).toBe('done');
  await finishOrder(lab.ordering, id, at());
}
const ledger = (id: string) =>
  lab.pool.one(sql.type(z.object({ outcome: z.string(), kind: z.string(), replaces: z.boolean() }))`
    SELECT outcome, kind, replaces FROM certificate_orders WHERE id = ${id}
  `);
const textsAt = async (zone: string, host: string) =>
  (await lab.dns.powerdns.dump(zone)).filter((line) => line.includes(`"${host}."`) && line.includes('"TXT"'));

test('an order validates through the credential, and leaves the zone as it was; every step can be repeated', async () => {
  const domain = await lab.domain();
  const connection = await lab.connect(`${someLabel()}.${domain}`);
  const before = await lab.dns.powerdns.dump(domain);
  const id = await begin(connection);
  for (const step of STEPS) {
    const results = [await run(id, step), await run(id, step), await run(id, step)];
    expect(results).toEqual(step === finalize ? ['done', 'ended', 'ended'] : ['done', 'done', 'done']);
  }
  expect(await textsAt(domain, `_acme-challenge.${connection.hostname}`)).toHaveLength(1);
  await finishOrder(lab.ordering, id, at());
  await finishOrder(lab.ordering, id, at());

  expect(await lab.dns.powerdns.dump(domain)).toEqual(before);
  const saved = (await certificateOf(lab.pool, connection.id, 'ordered'))!;
  expect(saved).toMatchObject({ names: [connection.hostname], source: 'ordered' });
  expect(new X509Certificate(saved.chain).publicKey.asymmetricKeyDetails).toMatchObject({ namedCurve: 'prime256v1' });
  expect(await getOrder(lab.pool, id)).toBeNull();
  expect(await ledger(id)).toEqual({ outcome: 'issued', kind: 'new', replaces: false });
  expect(lab.pebble.orders.filter((name) => name === connection.hostname)).toHaveLength(1);
});

test('a renewal names the certificate that it replaces, and replaces its row', async () => {
  const connection = await lab.connect(`${someLabel()}.${await lab.domain()}`);
  await runAll(await begin(connection));
  const first = (await certificateOf(lab.pool, connection.id, 'ordered'))!;
  const id = await begin(connection, first.renewal_id);
  await runAll(id);
  const second = (await certificateOf(lab.pool, connection.id, 'ordered'))!;
  expect(second.serial).not.toBe(first.serial);
  expect(await ledger(id)).toEqual({ outcome: 'issued', kind: 'renewal', replaces: true });
});

test('a certificate is renewed when the CA wants it, once, and not again while an order fails', async () => {
  const connection = await lab.connect(`${someLabel()}.${await lab.domain()}`);
  await runAll(await begin(connection));
  const first = (await certificateOf(lab.pool, connection.id, 'ordered'))!;
  await askRenewalTimes(lab.ordering, new Date());
  const asked = (await certificateOf(lab.pool, connection.id, 'ordered'))!;
  expect(asked.ask_renewal_at!.getTime()).toBeGreaterThan(Date.now());
  expect(asked.renew_at!.getTime()).not.toBe(first.renew_at!.getTime());

  const due = new Date(asked.renew_at!.getTime() + 1_000);
  expect(await renewDue(lab.ordering, new Date())).toBe(0);
  expect(await renewDue(lab.ordering, due)).toBeGreaterThan(0);
  const { id, replaces } = (await orderOfConnection(lab.pool, connection.id))!;
  expect(replaces).toBe(first.renewal_id);
  expect(await renewDue(lab.ordering, due)).toBe(0);
  await runAll(id);
  expect((await certificateOf(lab.pool, connection.id, 'ordered'))!.serial).not.toBe(first.serial);
});

test('the successor of an imported certificate is ordered where the worker orders, and replaces it', async () => {
  const { hostname, ...connection } = await lab.connect(`${someLabel()}.${await lab.domain()}`);
  await lab.pool.query(sql.type(none)`UPDATE connections SET before_dns = true WHERE id = ${connection.id}`);
  const key = await newPrivateKey();
  const chain = await selfSigned(key, [hostname], { from: new Date(), days: 90 });
  const owner = { ...connection, hostname };
  await lab.pool.transaction((tx) => saveCertificate(tx, lab.ordering.vault, owner, { source: 'edge', chain, key }, new Date())); // prettier-ignore
  const { renew_at } = (await certificateOf(lab.pool, connection.id, 'edge'))!;
  await renewDue(lab.ordering, new Date(renew_at!.getTime() - 1_000));
  expect(await orderOfConnection(lab.pool, connection.id)).toBeNull();
  await renewDue(lab.ordering, new Date(renew_at!.getTime() + 1_000));
  const { id, replaces } = (await orderOfConnection(lab.pool, connection.id))!;
  expect(replaces).toBeNull();
  await runAll(id);
  expect(await certificateOf(lab.pool, connection.id, 'ordered')).not.toBeNull();
  expect(await certificateOf(lab.pool, connection.id, 'edge')).toBeNull();
});

test('two orders at one name coexist, and each removes only its own value', async () => {
  const domain = await lab.domain();
  const host = `_acme-challenge.${domain}`;
  await lab.dns.powerdns.set(domain, host, 'TXT', '"of another service"');
  const [exact, wildcard] = [await begin(await lab.connect(domain)), await begin(await lab.connect(`*.${domain}`))];
  for (const id of [exact, wildcard]) for (const step of [place, publish]) expect(await run(id, step)).toBe('done');
  expect(await textsAt(domain, host)).toHaveLength(3);
  for (const step of [awaitPublished, validate, finalize]) expect(await run(exact, step)).toBe('done');
  await finishOrder(lab.ordering, exact, at());
  expect(await textsAt(domain, host)).toHaveLength(2);
  for (const step of [awaitPublished, validate, finalize]) expect(await run(wildcard, step)).toBe('done');
  await finishOrder(lab.ordering, wildcard, at());
  expect(await textsAt(domain, host)).toEqual([expect.stringContaining('of another service')]);
});

test('a delegated challenge is published in the operator’s zone, next to others, once the customer has delegated it', async () => {
  const domain = await lab.domain({ credential: false });
  const connection = await lab.connect(domain);
  const id = await begin(connection);
  expect(await run(id, place)).toBe('done');
  await expect(run(id, publish)).rejects.toThrow(NotYet);

  const target = lab.ordering.delegation!.nameFor(domain);
  expect(lab.ordering.delegation!.nameFor(`*.${domain}`)).toBe(target);
  expect(target.split('.')[0]!.length).toBeLessThanOrEqual(63);
  await lab.dns.powerdns.set(domain, `_acme-challenge.${domain}`, 'CNAME', `${target}.`);
  await lab.ordering.delegation!.publish(target, 'of another order', AbortSignal.timeout(10_000));
  for (const step of STEPS.slice(1)) expect(await run(id, step)).toBe('done');
  await finishOrder(lab.ordering, id, at());
  expect(await textsAt(DELEGATION_ZONE, target)).toEqual([expect.stringContaining('of another order')]);
  expect(await certificateOf(lab.pool, connection.id, 'ordered')).not.toBeNull();
});

test('a challenge that points elsewhere is never overwritten: the order ends with a finding, and the edge takes over', async () => {
  const domain = await lab.domain();
  await lab.dns.powerdns.set(domain, `_acme-challenge.${domain}`, 'CNAME', 'elsewhere.saas.test.');
  const before = await lab.dns.powerdns.dump(domain);
  const connection = await lab.connect(domain);
  const id = await begin(connection);
  expect([await run(id, place), await run(id, publish), await run(id, validate)]).toEqual(['done', 'ended', 'ended']);
  await finishOrder(lab.ordering, id, at());
  expect(await lab.dns.powerdns.dump(domain)).toEqual(before);
  expect(await failureOf(lab.pool, connection.id)).toMatchObject({
    falls_back: true,
    finding: { code: 'acme_challenge_taken', params: { target: 'elsewhere.saas.test' } },
  });
});

test('what the CA refuses is shown in its own words, and the next order waits', async () => {
  const connection = await lab.connect(`${someLabel()}.${await lab.domain()}`);
  lab.pebble.refuse(connection.hostname, 'caa', 'CAA forbids it');
  const id = await begin(connection);
  for (const step of [place, publish, awaitPublished]) expect(await run(id, step)).toBe('done');
  expect(await run(id, validate)).toBe('ended');
  await finishOrder(lab.ordering, id, at());
  const failure = (await failureOf(lab.pool, connection.id))!;
  expect(failure.finding).toMatchObject({
    code: 'caa_blocked',
    message: expect.stringContaining('CAA forbids it') as string,
  });
  expect(failure.retry_at.getTime()).toBeGreaterThan(Date.now() + 60_000);
  expect((await ledger(id)).outcome).toBe('failed');
});

const accountUrl = () =>
  lab.pool.oneFirst(sql.type(z.object({ url: z.string() }))`SELECT url FROM acme_accounts WHERE url IS NOT NULL`);

describe('an order that CAA restricts by account or method (RFC 8657)', () => {
  const LE = 'letsencrypt.org';
  beforeAll(async () => {
    await lab.ordering.accounts.clientOf(lab.pebble.directoryUrl);
  });

  async function placed(hostnameOf: (domain: string) => string, tag: string, value: string) {
    const domain = await lab.domain();
    await lab.dns.powerdns.set(domain, domain, 'CAA', `0 ${tag} "${value}"`);
    const connection = await lab.connect(hostnameOf(domain));
    const id = await begin(connection);
    const result = await run(id, place);
    await finishOrder(lab.ordering, id, at());
    const isOrdered = lab.pebble.orders.includes(connection.hostname);
    return { result, isOrdered, domain, failure: await failureOf(lab.pool, connection.id) };
  }

  test.each<[string, (domain: string) => string, string]>([
    ['a hostname', (domain) => `shop.${domain}`, 'issue'],
    ['a wildcard', (domain) => `*.${domain}`, 'issuewild'],
  ])('is placed for %s that allows our account and DNS validation', async (_what, hostnameOf, tag) => {
    const value = `${LE}; accounturi=${await accountUrl()}; validationmethods=http-01,dns-01`;
    expect(await placed(hostnameOf, tag, value)).toMatchObject({ result: 'done', isOrdered: true, failure: null });
  });

  test('is not placed if only the edge’s account is allowed: the edge takes over, and the fix has our account', async () => {
    const { domain, ...rest } = await placed((name) => `shop.${name}`, 'issue', `${LE}; accounturi=${EDGE_ACCOUNT}`);
    const value = `0 issue "${LE}; accounturi=${await accountUrl()}"`;
    expect(rest).toMatchObject({
      result: 'ended',
      isOrdered: false,
      failure: { falls_back: true, finding: { code: 'caa_blocked', record: { host: domain, type: 'CAA', value } } },
    });
    expect(rest.failure!.finding.fix).toContain(EDGE_ACCOUNT);
  });

  test('is not placed for a wildcard without dns-01, and the edge cannot take over', async () => {
    const { result, isOrdered, failure } = await placed(
      (name) => `*.${name}`,
      'issue',
      `${LE}; validationmethods=http-01`,
    );
    expect({ result, isOrdered }).toEqual({ result: 'ended', isOrdered: false });
    expect(failure).toMatchObject({
      falls_back: false,
      finding: {
        message: expect.stringContaining(
          'DNS validation uses dns-01, which validationmethods=http-01 excludes',
        ) as string,
        record: { value: `0 issue "${LE}; validationmethods=dns-01"` },
      },
    });
  });
});

test('a wrong value at the CA ends the order, and its value is removed', async () => {
  const domain = await lab.domain();
  const connection = await lab.connect(`${someLabel()}.${domain}`);
  const before = await lab.dns.powerdns.dump(domain);
  const id = await begin(connection);
  for (const step of [place, publish]) expect(await run(id, step)).toBe('done');
  await lab.dns.powerdns.set(domain, `_acme-challenge.${connection.hostname}`, 'TXT', '"wrong"');
  await expect(run(id, awaitPublished)).rejects.toThrow('Not every name server');
  expect(await run(id, validate)).toBe('ended');
  await lab.dns.powerdns.set(domain, `_acme-challenge.${connection.hostname}`, 'TXT');
  await finishOrder(lab.ordering, id, at());
  expect(await lab.dns.powerdns.dump(domain)).toEqual(before);
  expect(await failureOf(lab.pool, connection.id)).toMatchObject({ finding: { code: 'cert_failed' } });
});

test.each(['pending_ownership', 'archived', 'failed'] as const)(
  'a connection in %s, which holds no claim, gets no order at the CA',
  async (state) => {
    const connection = await lab.connect(`${someLabel()}.${await lab.domain()}`, state);
    const id = await begin(connection);
    expect(await run(id, place)).toBe('ended');
    expect(lab.pebble.orders).not.toContain(connection.hostname);
    await finishOrder(lab.ordering, id, at());
  },
);

test('a second order of the same connection is not begun while one is in progress', async () => {
  const connection = await lab.connect(`${someLabel()}.${await lab.domain()}`);
  await begin(connection);
  const { vault, directory } = lab.ordering;
  const again = () =>
    lab.pool.transaction((tx) => beginOrder(tx, vault, connection, { directory: directory!, now: new Date() }));
  expect(await again()).toBe(false);
});

test('labels depend on the key and on the domain alone, and not on the tenant', async () => {
  const settings = { zone: DELEGATION_ZONE, key: 'another key of sixteen' };
  await createTenant(lab.pool, 'Another');
  const [one, other] = [delegatedName(settings, 'shop.example.com'), delegatedName(settings, 'blog.example.com')];
  expect(one).not.toBe(other);
  expect(one).toMatch(/^[a-z2-7]{52}\.acme\.saas\.test$/);
  expect(delegatedName({ ...settings, key: 'yet another key' }, 'shop.example.com')).not.toBe(one);
});
