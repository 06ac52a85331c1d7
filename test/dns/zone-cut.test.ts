import { createObserver } from '../../src/dns/observer.ts';
import { challengeName } from '../../src/domain/connection/challenge.ts';
import { diagnoseChallenge } from '../../src/domain/observation/diagnosis.ts';
import { judgeChallenge, judgeRecords } from '../../src/domain/observation/verdict.ts';
import { loopbackAddresses } from '../support/fixtures/dns-port.ts';
import {
  EDGE,
  labObserverOptions,
  validatingObserver,
  startDnsLab,
  wantedRecord,
  type DnsLab,
} from '../support/fixtures/dns-lab.ts';
import { startKnot } from './knot.ts';
import type { ServerProcess } from '../support/servers/server-process.ts';

const TOKEN = 'em9uZS1jdXQtdG9rZW4';

let lab: DnsLab;
let domain: string;
let knot: ServerProcess;

/** PowerDNS serves the domain. Its sub-zone `team` is delegated to a Knot server at another address. */
beforeAll(async () => {
  lab = await startDnsLab();
  domain = await lab.domain();
  const { powerdns } = lab;
  const [address = ''] = loopbackAddresses(1);
  const zone = `team.${domain}`;
  const nameserver = `ns.${zone}`;
  knot = await startKnot(address, powerdns.port, {
    [zone]: [
      `$ORIGIN ${zone}.`,
      '$TTL 60',
      `@ SOA ${nameserver}. hostmaster 1 3600 600 86400 60`,
      `@ NS ${nameserver}.`,
      `ns A ${address}`,
      `_service-challenge.shop TXT "${TOKEN}"`,
      `shop CNAME ${EDGE.target}.`,
    ].join('\n'),
  });
  await powerdns.set(domain, zone, 'NS', `${nameserver}.`);
  await powerdns.set(domain, nameserver, 'A', address);
});

afterAll(async () => {
  await knot.stop();
  await lab.stop();
});

test('a delegated sub-zone is found through referrals, and its own servers are asked', async () => {
  const hostname = `shop.team.${domain}`;
  const challenge = { name: challengeName(hostname), value: TOKEN };
  const seen = await lab.observer.observeChallenge(hostname, challenge);
  expect(seen.zone).toMatchObject({ name: `team.${domain}`, nameservers: [`ns.team.${domain}`], registered: true });
  expect(seen.challenge.servers.map(({ server }) => server.name)).toEqual([`ns.team.${domain}`]);
  expect(judgeChallenge(seen, challenge).verdict).toBe('match');
});

test('a name that is delegated below the hostname is asked at its own servers', async () => {
  const { powerdns, observer } = lab;
  const wanted = [wantedRecord(`shop.team.${domain}`, 'CNAME', EDGE.target)];
  await powerdns.set(domain, domain, 'A', EDGE.ipv4);
  const seen = await observer.observeRecords(domain, wanted);
  expect(seen.zone.name).toBe(domain);
  expect(judgeRecords(seen, wanted)).toMatchObject([{ verdict: 'match', observedValue: EDGE.target }]);
});

test('the SOA distinguishes a parent zone and a child zone on one server', async () => {
  const { powerdns, observer } = lab;
  const child = `own.${domain}`;
  await powerdns.zone(child, ['ns1.lab.test']);
  const seen = await observer.observeChallenge(`shop.${child}`, { name: challengeName(`shop.${child}`), value: TOKEN });
  expect(seen.zone).toMatchObject({ name: child, soa: { mname: 'ns1.lab.test' } });
});

test('a lame name server is reported, and the others decide', async () => {
  const { powerdns, observer } = lab;
  const lame = await lab.domain();
  const [nobody = ''] = loopbackAddresses(1);
  await powerdns.set('test', 'ns-gone.lab.test', 'A', nobody);
  await powerdns.set(lame, lame, 'NS', 'ns1.lab.test.', 'ns-gone.lab.test.', 'ns-nameless.lab.test.');
  const challenge = { name: challengeName(lame), value: TOKEN };
  await powerdns.set(lame, challenge.name, 'TXT', `"${TOKEN}"`);
  const seen = await observer.observeChallenge(lame, challenge);
  expect(judgeChallenge(seen, challenge).verdict).toBe('match');
  const [finding] = diagnoseChallenge(seen, challenge);
  expect(finding).toMatchObject({ code: 'nameserver_unreachable', severity: 'warning' });
  expect(finding?.message).toContain('ns-gone.lab.test');
  expect(finding?.message).toContain('ns-nameless.lab.test');
});

test('DNSSEC: a valid chain is secure, a wrong DS is reported as bogus, and the check continues', async () => {
  const { powerdns } = lab;
  const [good, bad] = [await lab.domain({ signed: true }), await lab.domain({ signed: true })];
  const [ds = ''] = await powerdns.ds(good);
  const { observer, stop } = await validatingObserver(lab, { [good]: ds, [bad]: ds });
  const challenge = { name: challengeName(bad), value: TOKEN };
  await powerdns.set(bad, challenge.name, 'TXT', `"${TOKEN}"`);
  const seen = await observer.observeChallenge(bad, challenge);
  const statuses = await Promise.all([observer.dnssec(good), observer.dnssec(bad), observer.dnssec(domain)]);
  await stop();
  expect(statuses).toEqual(['secure', 'bogus', 'insecure']);
  expect(judgeChallenge(seen, challenge).verdict).toBe('unknown');
  expect(diagnoseChallenge(seen, challenge)).toMatchObject([{ code: 'dnssec_bogus', severity: 'error' }]);
});

test('with every server stopped, nothing is concluded', async () => {
  const doomed = await startDnsLab();
  const name = await doomed.domain();
  const challenge = { name: challengeName(name), value: TOKEN };
  const wanted = [wantedRecord(name, 'A', EDGE.ipv4)];
  await doomed.powerdns.set(name, challenge.name, 'TXT', `"${TOKEN}"`);
  await doomed.powerdns.set(name, name, 'A', EDGE.ipv4);
  expect(judgeChallenge(await doomed.observer.observeChallenge(name, challenge), challenge).verdict).toBe('match');
  const blind = createObserver(labObserverOptions(doomed.recursor, doomed.powerdns.port));
  await doomed.stop();
  const challengeSeen = await blind.observeChallenge(name, challenge);
  const recordsSeen = await blind.observeRecords(name, wanted);
  const domainSeen = await blind.observeDomain(name, wanted);
  expect(judgeChallenge(challengeSeen, challenge).verdict).toBe('unknown');
  expect(judgeRecords(recordsSeen, wanted)).toMatchObject([{ verdict: 'unknown', propagated: false }]);
  expect(domainSeen.zone.registered).toBeNull();
  expect([domainSeen.wildcard.covered, challengeSeen.wildcard.covered]).toEqual([null, null]);
  expect(await blind.observeWildcard(`shop.${name}`)).toMatchObject({ covered: null, records: [] });
  expect(await blind.caa(name)).toMatchObject({ outcome: 'unknown' });
  expect(await blind.dnssec(name)).toBe('unknown');
  await blind.close();
});
