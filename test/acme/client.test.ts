import { readFile } from 'node:fs/promises';
import { createAcmeClient, type AcmeClient } from '../../src/acme/client.ts';
import type { Order } from '../../src/acme/messages.ts';
import { AcmeError, AcmeUnreachable } from '../../src/acme/problem.ts';
import { certificatesIn, describe as describeCertificate } from '../../src/x509/certificate.ts';
import { keyOfPem, newPrivateKey } from '../../src/x509/keys.ts';
import { renewalId } from '../../src/x509/renewal-id.ts';
import { signingRequest } from '../../src/x509/request.ts';
import { startDnsLab, type DnsLab } from '../support/fixtures/dns-lab.ts';
import { startPebble, type Pebble } from '../support/servers/pebble.ts';
import { until } from '../support/until.ts';

let dns: DnsLab;
let pebble: Pebble;
let zone: string;
const clients: AcmeClient[] = [];
beforeAll(async () => {
  dns = await startDnsLab();
  zone = await dns.domain();
  pebble = await startPebble({
    dns: dns.powerdns,
    httpPort: 1,
    tlsPort: 1,
    profile: 'shortlived',
    validitySeconds: 576_000,
  });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await pebble.stop();
  await dns.stop();
});

async function newClient(key: string, url: string | null = null): Promise<AcmeClient> {
  const options = { directoryUrl: pebble.directoryUrl, ca: await readFile(pebble.caFile, 'utf8') };
  const client = createAcmeClient(keyOfPem(key), url, options);
  clients.push(client);
  return client;
}

async function newAccount(): Promise<{ client: AcmeClient; key: string; url: string }> {
  const key = await newPrivateKey();
  const client = await newClient(key);
  return { client, key, url: await client.register({ email: 'ops@saas.test' }) };
}

/** Publishes the TXT records of all authorizations, and asks for their validation. */
async function prove(client: AcmeClient, { authorizations }: Order): Promise<void> {
  const read = await Promise.all(authorizations.map((url) => client.readAuthorization(url)));
  const challenges = [];
  for (const { identifier, challenges: offered } of read) {
    const { token, url } = offered.find(({ type }) => type === 'dns-01')!;
    challenges.push({ name: `_acme-challenge.${identifier.value}`, value: await client.dnsValue(token!), url });
  }
  for (const [name, group] of Map.groupBy(challenges, (one) => one.name))
    await dns.powerdns.set(zone, name, 'TXT', ...group.map(({ value }) => `"${value}"`));
  for (const { url } of challenges) await client.answer(url);
}

async function obtain(client: AcmeClient, names: [string, ...string[]], more = {}): Promise<string> {
  const { url, order } = await client.order({ names, profile: 'shortlived', ...more });
  await prove(client, order);
  await until(async () => (await client.readOrder(url)).status !== 'pending');
  await client.finalize(order, await signingRequest(await newPrivateKey(), names));
  await until(async () => (await client.readOrder(url)).status === 'valid');
  return client.download((await client.readOrder(url)).certificate!);
}

const someName = (): string => `n${crypto.randomUUID().slice(0, 8)}.${zone}`;

test('a name and its wildcard get one certificate, of the requested profile', async () => {
  const { client } = await newAccount();
  const name = someName();
  const [certificate] = certificatesIn(await obtain(client, [name, `*.${name}`]));
  const { names, notBefore, notAfter } = describeCertificate(certificate!);
  expect(names.toSorted()).toEqual([`*.${name}`, name]);
  expect(Math.round((notAfter.getTime() - notBefore.getTime()) / 1_000)).toBeLessThanOrEqual(576_000);
});

test('a key that is known finds its account again, and another process continues its order', async () => {
  const { client, key, url } = await newAccount();
  expect(await (await newClient(key)).register({})).toBe(url);

  const placed = await client.order({ names: [someName()], profile: 'shortlived' });
  const resumed = await newClient(key, url);
  expect(await resumed.readOrder(placed.url)).toMatchObject({
    status: 'pending',
    identifiers: placed.order.identifiers,
  });
});

test('a renewal names the certificate that it replaces, once, within the suggested window', async () => {
  const { client } = await newAccount();
  const name = someName();
  const [certificate] = certificatesIn(await obtain(client, [name]));
  const replaces = renewalId(certificate!)!;

  const info = await client.renewalInfo(replaces);
  expect(info!.suggestedWindow.start.getTime()).toBeLessThan(info!.suggestedWindow.end.getTime());
  expect(info!.suggestedWindow.end.getTime()).toBeLessThanOrEqual(describeCertificate(certificate!).notAfter.getTime());
  await obtain(client, [name], { replaces });
  await expect(client.order({ names: [name], replaces })).rejects.toMatchObject({ type: 'alreadyReplaced' });
  expect(await client.renewalInfo(replaces.replace(/\.\w{4}/, '.AAAA'))).toBeNull();
});

test('a refusal has the type, the words and the status of the certificate authority', async () => {
  const { client } = await newAccount();
  const name = someName();
  pebble.refuse(name, 'rateLimited', 'too many certificates');
  const { url, order } = await client.order({ names: [name] });
  await prove(client, order);
  await until(async () => (await client.readOrder(url)).status !== 'pending');
  const [authorization] = await Promise.all(order.authorizations.map((one) => client.readAuthorization(one)));
  expect(authorization).toMatchObject({
    challenges: [expect.objectContaining({ error: expect.anything() as unknown })],
  });

  const { url: known } = await newAccount();
  const stranger = await newClient(await newPrivateKey(), known.replace(/\w+$/, 'nobody'));
  const refused = await stranger.order({ names: [name] }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(AcmeError);
  expect(refused).toMatchObject({ type: 'accountDoesNotExist' });
});

test('a server that does not answer is distinguished from one that refuses', async () => {
  const client = createAcmeClient(keyOfPem(await newPrivateKey()), null, { directoryUrl: 'https://127.0.0.1:1/dir' });
  clients.push(client);
  await expect(client.register({})).rejects.toBeInstanceOf(AcmeUnreachable);
});
