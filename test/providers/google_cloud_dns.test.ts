import { createPrivateKey } from 'node:crypto';
import { googleCloudDns } from '../../src/providers/google_cloud_dns/adapter.ts';
import { assertionOf, signJws } from '../../src/providers/google_cloud_dns/service-account.ts';
import type { ProviderErrorCode } from '../../src/providers/provider-error.ts';
import type { ProviderHttp } from '../../src/providers/toolkit/http.ts';
import { doubleConformance } from './double-conformance.ts';
import { SERVICE_ACCOUNT, start, startGoogleDouble } from './doubles/google_cloud_dns.ts';
import { aloneWith, uncountedHttp } from './processes.ts';

const refused = (name: string, code: ProviderErrorCode, status: number, reason: string, message = 'no') => ({
  name,
  code,
  answer: { status, body: JSON.stringify({ error: { code: status, message, errors: [{ reason, message }] } }) },
});

doubleConformance(googleCloudDns, start, {
  refusals: [
    refused('a limit that comes as 403', 'rate_limited', 403, 'rateLimitExceeded'),
    refused('a quota that comes as 403', 'rate_limited', 403, 'quotaExceeded'),
    refused('a disabled API', 'forbidden_scope', 403, 'accessNotConfigured'),
    refused('a role that is not sufficient', 'forbidden_scope', 403, 'forbidden'),
    refused('a CNAME that is not alone', 'conflict', 400, 'cnameResourceRecordSetConflict'),
    refused('bad input', 'validation', 400, 'invalid'),
    refused('a zone that does not exist', 'zone_not_found', 404, 'notFound', "The 'parameters.managedZone' resource …"),
  ],
});

describe('google cloud dns in particular', () => {
  let http: ProviderHttp;
  let double: Awaited<ReturnType<typeof startGoogleDouble>>;
  beforeEach(async () => {
    double = await startGoogleDouble({ pendingFor: 2 });
    http = uncountedHttp();
  });
  afterEach(async () => {
    await http.close();
    await double.stop();
  });
  const context = () => {
    const alone = aloneWith(http);
    const clock = { ...alone.clock, sleep: () => Promise.resolve() };
    return { ...alone, clock, baseUrl: double.url, tokenUrl: double.tokenUrl };
  };
  const open = (more: Record<string, string> = {}, shared = context()) =>
    googleCloudDns.open({ ...double.credential, ...more }, shared);
  const ours = { host: 'shop.example.test', type: 'TXT', value: 'ours', ttl: 300, priority: null } as const;

  test('a pending change is waited for', async () => {
    double.addZone('example.test');
    const account = open();
    const zone = await account.findZone(ours.host);
    expect(zone).toMatchObject({ nameservers: expect.arrayContaining(['ns-cloud-c1.googledomains.com']) as string[] });
    await account.apply(zone!, { add: [ours], remove: [] });
    expect(double.zoneFor('example.test')?.changes).toMatchObject([{ asked: 3 }]);
  });

  test('one token serves many calls, and a revoked token is replaced without a failure', async () => {
    double.addZone('example.test');
    const shared = context();
    await Promise.all([open({}, shared).verify(), open({}, shared).verify(), open({}, shared).verify()]);
    expect(double.granted()).toBe(1);
    double.revoke();
    expect(await open({}, shared).verify()).toHaveLength(1);
    expect(double.granted()).toBe(2);
  });

  test('a set that was changed since it was read is not overwritten, and is read again', async () => {
    double.addZone('example.test', [{ name: 'shop', type: 'TXT', ttl: 60, rdata: '"theirs"' }]);
    const account = open();
    const zone = (await account.findZone(ours.host))!;
    let decided = 0;
    const outcome = await account.apply(zone, {
      hosts: [ours.host],
      decide: () => {
        const set = double.zoneFor('example.test')!.sets.find(({ type }) => type === 'TXT')!;
        if (decided++ === 0) set.rrdatas.push('"theirs, just now"');
        return { add: [ours], remove: [] };
      },
    });
    expect([decided, outcome.changed]).toEqual([2, true]);
    expect(double.dump('example.test').filter((line) => line.includes('theirs'))).toHaveLength(2);
  });

  test('a set with a routing policy is never changed', async () => {
    double.addZone('example.test');
    const policy = { wrr: { items: [{ weight: 1, rrdatas: ['192.0.2.1'] }] } };
    double.zoneFor('example.test')!.sets.push({ name: `${ours.host}.`, type: 'A', ttl: 60, rrdatas: [], routingPolicy: policy }); // prettier-ignore
    const before = double.dump('example.test');
    const account = open();
    const zone = (await account.findZone(ours.host))!;
    for (const type of ['A', 'CNAME'] as const) {
      const add = [{ ...ours, type, value: type === 'A' ? '192.0.2.9' : 'edge.example.net' }];
      const remove = await account.records(zone, [ours.host]);
      await expect(account.apply(zone, { add, remove })).rejects.toMatchObject({ code: 'conflict' });
    }
    expect(double.dump('example.test')).toEqual(before);
  });

  test('private zones are left out, zones beyond the first page are found, and of two with one name none is guessed', async () => {
    for (let i = 0; i < 120; i++) double.addZone(`zone${i}.test`);
    double.create({ name: 'inside', dnsName: 'inside.test.', visibility: 'private' });
    expect(await open().verify()).toHaveLength(120);
    expect(await open().findZone('www.inside.test')).toBeUndefined();
    await expect(open({ managed_zone: 'inside' }).verify()).rejects.toMatchObject({ code: 'zone_not_found' });
    await expect(open({ managed_zone: 'inside' }).findZone('www.inside.test')).rejects.toMatchObject({ code: 'zone_not_found' }); // prettier-ignore
    double.create({ name: 'second', dnsName: 'zone7.test.' });
    await expect(open().findZone('www.zone7.test')).rejects.toMatchObject({ code: 'conflict' });
    expect(await open({ managed_zone: 'second' }).findZone('www.zone7.test')).toMatchObject({ id: 'second' });
    expect(await open({ managed_zone: 'second' }).findZone('www.zone8.test')).toBeUndefined();
  });

  test('an ALIAS in a signed zone is refused as invalid', async () => {
    double.create({ name: 'signed', dnsName: 'signed.test.', dnssec: 'on' });
    const zone = (await open().findZone('signed.test'))!;
    const add = [{ ...ours, host: 'signed.test', type: 'ALIAS', value: 'edge.example.net' } as const];
    await expect(open().apply(zone, { add, remove: [] })).rejects.toMatchObject({ code: 'validation' });
  });

  test.each([
    '{}',
    'not JSON',
    JSON.stringify({ type: 'service_account', project_id: 'p', client_email: 'e', private_key: 'k' }),
  ])('an invalid key file is refused before any call: %s', (service_account_key) => {
    expect(() => open({ service_account_key })).toThrow('service_account_key');
  });
});

describe('a service account’s assertion', () => {
  // RFC 7515 appendix A.2: the key, the payload with its line breaks, and the signature that they must give.
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'RSA',
      n: 'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
      e: 'AQAB',
      d: 'Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ',
      p: '4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc',
      q: 'uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc',
      dp: 'BwKfV3Akq5_MFZDFZCnW-wzl-CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9YkxvuxdBfpT_PI7Yz-FOKnu1R6HsJeDCjn12Sk3vmAktV2zb34MCdy7cpdTh_YVr7tss2u6vneTwrA86rZtu5Mbr1C1XsmvkxHQAdYo0',
      dq: 'h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoRwbKgB719rrmI2oKr6N3Do9U0ajaHF-NKJnwgjMd2w9cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU',
      qi: 'IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd_QJQ3ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp_gh6A5603k2-ZQwVK0JKSHuLFkuQ3U',
    },
  });
  const PAYLOAD = '{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}';

  test('is signed as RFC 7515 shows', () => {
    const header = Buffer.from('{"alg":"RS256"}').toString('base64url');
    expect(signJws(header, Buffer.from(PAYLOAD).toString('base64url'), key).split('.')[2]).toBe(
      'cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw',
    );
  });

  test('has the claims that Google’s guide shows, for one hour', () => {
    const iat = 1_328_550_785;
    const assertion = assertionOf(SERVICE_ACCOUNT, {
      scope: 'https://www.googleapis.com/auth/ndev.clouddns.readwrite',
      audience: 'https://oauth2.googleapis.com/token',
      nowMs: iat * 1_000 + 999,
    });
    const part = (i: number) =>
      JSON.parse(Buffer.from(assertion.split('.')[i] ?? '', 'base64url').toString()) as unknown;
    expect(part(0)).toEqual({ alg: 'RS256', typ: 'JWT', kid: SERVICE_ACCOUNT.keyId });
    expect(part(1)).toEqual({
      iss: SERVICE_ACCOUNT.email,
      scope: 'https://www.googleapis.com/auth/ndev.clouddns.readwrite',
      aud: 'https://oauth2.googleapis.com/token',
      exp: 1_328_554_385,
      iat,
    });
  });
});
