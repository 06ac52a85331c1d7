import { makeSigningKey, publishedKey, readSigningKeys, signQuery } from '../../src/domain-connect/keys.ts';
import { applyQuery } from '../../src/domain/zone/domain-connect.ts';
import { inPython } from '../support/servers/domainconnectzone.ts';

const QUERY = applyQuery({
  domain: 'customer.com',
  host: 'shop',
  redirect_uri: 'https://api.saas-product.com/domain-connect/return',
  challenge: 'a_b-c.~',
  state: 'x y&z=1+1/ä',
  empty: '',
});

/**
 * Verifies a signature with the project's own code, as a provider does. The parts of the key are joined here, see
 * docs/domain-connect.md.
 */
const VERIFY = `
from domainconnectzone import verify_sig, qsfilter
import textwrap
from urllib.parse import quote
parts = [dict(pair.split('=', 1) for pair in value.split(',')) for value in given['published']]
by_number = {int(part['p']): part['d'] for part in parts}
spki = ''.join(by_number[number] for number in sorted(by_number))
pem = '-----BEGIN PUBLIC KEY-----\\n' + '\\n'.join(textwrap.wrap(spki, 64)) + '\\n-----END PUBLIC KEY-----\\n'
signed = qsfilter(given['query'] + '&key=k&sig=' + quote(given['sig'], safe=''), ['sig', 'key'])
print(json.dumps([verify_sig(pem, given['sig'], signed), verify_sig(pem, given['sig'], signed + '&evil=1'), signed]))
`;

test('the parameters are sorted by name and encoded, and empty ones are left out', () => {
  expect(QUERY).toBe(
    'challenge=a_b-c.~&domain=customer.com&host=shop&redirect_uri=https%3A%2F%2Fapi.saas-product.com%2Fdomain-connect%2Freturn&state=x%20y%26z%3D1%2B1%2F%C3%A4',
  );
});

test("the Domain Connect project's own code accepts the signature and refuses a changed query", async () => {
  const [key] = readSigningKeys(await makeSigningKey('_dcpubkeyv1'));

  const verified = await inPython(VERIFY, { query: QUERY, sig: signQuery(key, QUERY), published: publishedKey(key) });

  expect(verified).toEqual([true, false, QUERY]);
}, 120_000);

test('a key is published in parts that fit one TXT string each, and the first of several keys signs', async () => {
  const [first, second] = [await makeSigningKey('_new'), await makeSigningKey('_old')];

  const keys = readSigningKeys(`${first}, ${second}`);

  expect(keys.map(({ kid }) => kid)).toEqual(['_new', '_old']);
  for (const value of publishedKey(keys[0])) expect(value).toMatch(/^p=\d,a=RS256,d=[A-Za-z0-9+/=]{1,200}$/);
  expect(() => readSigningKeys('k1:AAAA')).toThrow('k1 is not an RSA key of at least 2048 bits in PKCS#8');
  expect(() => readSigningKeys('not a key')).toThrow('must have the form kid:base64 of a PKCS#8 key');
});
