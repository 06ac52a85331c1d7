import { spawnSync } from 'node:child_process';
import { createHmac, createSecretKey, hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RequestIds, verifyEdgeRequest } from '../../client/edge.ts';
import { signatureFor } from '../../src/edge/signature.ts';
import { codeBlocks } from '../support/code-blocks.ts';
import { tempFolder } from '../support/temp-folder.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/edge.md'), 'utf8');
const ROWS = PAGE.slice(PAGE.indexOf('A test vector'));
const cell = (name: string) => new RegExp(`\\| ${name} +\\| \`(.*?)\` +\\|`).exec(ROWS)![1]!;

/** The arguments of a verifier, in the order of the programs below. `accepts` of them must be accepted in turn. */
interface Attempt {
  secrets: string;
  signature: string;
  method: string;
  host: string;
  uri: string;
  id: string;
  metadata: string;
  now: number;
}
const VECTOR: Attempt = {
  secrets: cell('secret'),
  signature: cell('`X-Svc-Edge-Signature`'),
  method: cell('method'),
  host: cell('hostname'),
  uri: cell('path and query'),
  id: cell('`X-Request-Id`'),
  metadata: cell('`X-Svc-Metadata`'),
  now: Number(cell('time')),
};
const [T = '', V1 = ''] = VECTOR.signature.split(',');
const OTHER = `edgesec_${Buffer.alloc(32, 1).toString('base64')}`;
const signedAnew = (attempt: Attempt, secret: string): string => {
  const text = [T.slice(2), attempt.method, attempt.host, attempt.uri, attempt.id, hash('sha256', attempt.metadata)];
  const key = Buffer.from(secret.slice(8), 'base64');
  return createHmac('sha256', key)
    .update(Buffer.from(text.join('\n'), 'latin1'))
    .digest('hex');
};

const ACCEPTED: [string, Partial<Attempt>][] = [
  ['the test vector', {}],
  ['a lower-case method, and a host in upper case with a port', { method: 'post', host: 'SHOP.example.com:8443' }],
  ['299 seconds later', { now: VECTOR.now + 299 }],
  ['the second of two secrets', { secrets: `${OTHER},${VECTOR.secrets}` }],
  ['the second of two signatures', { signature: `${T},v1=${signedAnew(VECTOR, OTHER)},${V1}` }],
  ['no metadata', { metadata: '', signature: `${T},v1=${signedAnew({ ...VECTOR, metadata: '' }, VECTOR.secrets)}` }],
];
const REFUSED: [string, Partial<Attempt>][] = [
  ['another time', { signature: `t=${VECTOR.now + 1},${V1}` }],
  ['another method', { method: 'GET' }],
  ['another hostname', { host: 'shop.example.org' }],
  ['another path', { uri: '/Cart?item=7&size=%2F' }],
  ['another query', { uri: '/cart?item=7&size=/' }],
  ['another request id', { id: `${VECTOR.id}0` }],
  ['other metadata', { metadata: `${VECTOR.metadata}A` }],
  ['no metadata', { metadata: '' }],
  ['an old one', { now: VECTOR.now + 301 }],
  ['one of the future', { now: VECTOR.now - 301 }],
  ['another secret', { secrets: OTHER }],
  ['a signature of a retired secret', { signature: `${T},v1=${signedAnew(VECTOR, OTHER)}` }],
  ['a forged signature', { signature: `${T},v1=${'0'.repeat(64)}` }],
  ['only a time', { signature: T }],
  ['a line break behind it', { signature: `${VECTOR.signature}\n` }],
  ['nothing', { signature: '' }],
];

/**
 * For each language: the verifier from the page in a program. It reads a list of attempts, and prints for each whether
 * it was accepted; then whether the first is accepted twice with a store of ids.
 */
const LANGUAGES = [
  ['ts', process.execPath, 'verify.mts', [], (code: string) => `${code}
const attempts = JSON.parse(process.argv[2]!);
const ids = new RequestIds();
const accepts = (a: any, store?: RequestIds) => {
  try { verify(a.secrets.split(','), a.signature, a, store, a.now); return true; } catch { return false; }
};
console.log(JSON.stringify([...attempts.map((a: any) => accepts(a)), accepts(attempts[0], ids), accepts(attempts[0], ids)]));
`],
  ['python', 'python3', 'verify.py', [], (code: string) => `${code}

import json, sys
def accepts(a, ids=None):
    try:
        verify(a["secrets"].split(","), a["signature"], a["method"], a["host"], a["uri"], a["id"], a["metadata"], ids, a["now"])
        return True
    except ValueError:
        return False
attempts = json.loads(sys.argv[1])
ids = RequestIds()
print(json.dumps([accepts(a) for a in attempts] + [accepts(attempts[0], ids), accepts(attempts[0], ids)]))
`],
  ['go', 'go', 'main.go', ['run'], (code: string) => `package main

import (
${['crypto/hmac', 'crypto/sha256', 'encoding/base64', 'encoding/hex', 'encoding/json', 'errors', 'fmt', 'math', 'os', 'regexp', 'strconv', 'strings', 'sync', 'time'].map((name) => `\t"${name}"`).join('\n')}
)

${code}

type attempt struct {
	Secrets, Signature, Method, Host, Uri, Id, Metadata string
	Now int64
}

func accepts(a attempt, ids *RequestIDs) bool {
	return verify(strings.Split(a.Secrets, ","), a.Signature, a.Method, a.Host, a.Uri, a.Id, a.Metadata, ids, time.Unix(a.Now, 0)) == nil
}

func main() {
	var attempts []attempt
	json.Unmarshal([]byte(os.Args[1]), &attempts)
	results := []bool{}
	for _, a := range attempts {
		results = append(results, accepts(a, nil))
	}
	ids := &RequestIDs{}
	results = append(results, accepts(attempts[0], ids), accepts(attempts[0], ids))
	text, _ := json.Marshal(results)
	fmt.Println(string(text))
}
`],
  ['ruby', 'ruby', 'verify.rb', [], (code: string) => `${code}
require 'json'
def accepts(a, ids = nil)
  verify(a['secrets'].split(','), a['signature'], a['method'], a['host'], a['uri'], a['id'], a['metadata'], ids: ids, now: Time.at(a['now']))
  true
rescue RuntimeError
  false
end
attempts = JSON.parse(ARGV[0])
ids = RequestIds.new
puts JSON.generate(attempts.map { |a| accepts(a) } + [accepts(attempts[0], ids), accepts(attempts[0], ids)])
`],
  ['php', 'php', 'verify.php', [], (code: string) => `${code}
function accepts(array $a, ?callable $isNew = null): bool {
    try {
        verify(explode(',', $a['secrets']), $a['signature'], $a['method'], $a['host'], $a['uri'], $a['id'], $a['metadata'], $isNew, $a['now']);
        return true;
    } catch (RuntimeException) {
        return false;
    }
}
$attempts = json_decode($argv[1], true);
$ids = new RequestIds();
echo json_encode([...array_map(fn ($a) => accepts($a), $attempts), accepts($attempts[0], $ids), accepts($attempts[0], $ids)]);
`],
] as const; // prettier-ignore

const attempts = [...ACCEPTED, ...REFUSED].map(([, change]) => ({ ...VECTOR, ...change }));
const expected = [...ACCEPTED.map(([what]) => [what, true]), ...REFUSED.map(([what]) => [what, false])];

test.each(LANGUAGES)(
  'the verifier on the page in %s accepts the test vector, and nothing altered, old or replayed',
  async (language, program, file, before, wrap) => {
    const block = codeBlocks().find((one) => one.page === 'docs/edge.md' && one.language === language);
    const path = join(await tempFolder(), file);
    await writeFile(path, wrap(block?.code.trimEnd() ?? ''));
    const { stdout, stderr } = spawnSync(program, [...before, path, JSON.stringify(attempts)], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const results = JSON.parse(stdout) as boolean[];
    expect(results.slice(0, -2).map((is, at) => [expected[at]?.[0], is])).toEqual(expected);
    expect(results.slice(-2)).toEqual([true, false]);
  },
  120_000,
);

describe('the verifier of the client package', () => {
  const verify = ({ secrets, now, ...sent }: Attempt, requestIds?: RequestIds) =>
    verifyEdgeRequest(
      {
        method: sent.method,
        url: sent.uri,
        headers: {
          'x-svc-edge-signature': sent.signature,
          'x-forwarded-host': sent.host,
          'x-request-id': sent.id,
          ...(sent.metadata === '' ? {} : { 'x-svc-metadata': sent.metadata }),
        },
      },
      secrets.split(','),
      { now: now * 1_000, ...(requestIds && { requestIds }) },
    ).then(
      () => true,
      () => false,
    );

  test('accepts the test vector, and nothing altered, old or replayed', async () => {
    for (const [at, attempt] of attempts.entries())
      expect([expected[at]?.[0], await verify(attempt)]).toEqual(expected[at]);
    const ids = new RequestIds();
    expect([await verify(VECTOR, ids), await verify(VECTOR, ids)]).toEqual([true, false]);
  });

  test('accepts a request of fetch, whose URL is absolute', async () => {
    const { secrets, signature, method, host, uri, id, metadata, now } = VECTOR;
    const headers = { 'x-svc-edge-signature': signature, 'x-forwarded-host': host, 'x-request-id': id, 'x-svc-metadata': metadata }; // prettier-ignore
    const request = new Request(`http://origin.internal:8080${uri}`, { method, headers });
    await expect(verifyEdgeRequest(request, secrets, { now: now * 1_000 })).resolves.toBeUndefined();
  });
});

describe('the signature of an edge', () => {
  const { method, host: hostname, uri, id: requestId, metadata } = VECTOR;
  const request = { method, hostname, uri, requestId };
  const keys = {
    get: (id: string) => (id === 'gone' ? null : createSecretKey(Buffer.from(id.slice(8), 'base64'))),
  };

  test('is the test vector’s, with one value for each active secret', async () => {
    const now = VECTOR.now * 1_000 + 999;
    const sign = (...secrets: { id: string; from: number }[]) => signatureFor(secrets, keys, request, metadata, now);
    const [own, other] = [{ id: VECTOR.secrets, from: 0 }, { id: OTHER, from: now }]; // prettier-ignore
    expect(await sign(own)).toBe(VECTOR.signature);
    expect(await sign(own, other)).toBe(`${VECTOR.signature},v1=${signedAnew(VECTOR, OTHER)}`);
    expect(await sign(own, { ...other, from: now + 1 })).toBe(VECTOR.signature);
    expect(await sign({ ...other, from: now + 1 })).toBeUndefined();
    expect(await sign({ id: 'gone', from: 0 })).toBeUndefined();
    expect(await sign()).toBeUndefined();
  });

  test('signs a websocket of HTTP/2 as the GET that the origin receives', async () => {
    const sign = (verb: string) =>
      signatureFor([{ id: OTHER, from: 0 }], keys, { ...request, method: verb }, metadata, VECTOR.now * 1_000);
    expect(await sign('CONNECT')).toBe(await sign('GET'));
  });
});
