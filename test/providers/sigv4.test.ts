import { signV4 } from '../../src/providers/route53/sigv4.ts';

/**
 * The suite that AWS publishes for Signature Version 4: one key, one time, one service, and the expected signatures.
 */
const KEY = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const SCOPE = { region: 'us-east-1', service: 'service', now: new Date('2015-08-30T12:36:00Z') };
const TOKEN =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==';
const UNRESERVED = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const authorizationOf = (method: string, path: string, headers: Record<string, string> = {}, body = '') => {
  const url = new URL(`https://example.amazonaws.com${path}`);
  return signV4({ method, url, headers, body }, KEY, SCOPE)['authorization'];
};

const meets = (signature: string): RegExp => new RegExp(`Signature=${signature}$`);

test.each([
  ['get-vanilla', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'get-vanilla-query-order-key-case',
    'GET',
    '/?Param2=value2&Param1=value1',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  ['get-unreserved', 'GET', `/${UNRESERVED}`, '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f'],
  ['get-utf8', 'GET', '/ሴ', '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85'],
  ['post-vanilla', 'POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
])('%s of AWS’s published suite', (_, method, path, signature) => {
  expect(authorizationOf(method, path)).toMatch(meets(signature));
});

test('post-header-value-case of AWS’s published suite: a header of our own is signed', () => {
  const signature = 'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d';
  expect(authorizationOf('POST', '/', { 'My-Header1': 'VALUE1' })).toMatch(meets(signature));
});

test('post-x-www-form-urlencoded of AWS’s published suite: the body is signed', () => {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const signature = 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a';
  expect(authorizationOf('POST', '/', headers, 'Param1=value1')).toMatch(meets(signature));
});

test('post-sts-header-before of AWS’s published suite: a session token is sent and signed', () => {
  const url = new URL('https://example.amazonaws.com/');
  const headers = signV4({ method: 'POST', url }, { ...KEY, sessionToken: TOKEN }, SCOPE);
  expect(headers).toMatchObject({ 'x-amz-security-token': TOKEN, 'x-amz-date': '20150830T123600Z' });
  expect(headers['authorization']).toMatch(meets('85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead'));
});

test('the ListUsers example of the IAM guide', () => {
  const url = new URL('https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08');
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  expect(signV4({ method: 'GET', url, headers }, KEY, { ...SCOPE, service: 'iam' })['authorization']).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  );
});
