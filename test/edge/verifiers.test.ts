import { spawnSync } from 'node:child_process';
import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signatureFor } from '../../src/edge/signature.ts';
import { edgeSignature, VECTORS_FILE, type EdgeVector, type Vectors } from '../../tools/clients/vectors.ts';
import { codeBlocks } from '../support/code-blocks.ts';
import { tempFolder } from '../support/temp-folder.ts';

const { edge: vectors } = JSON.parse(readFileSync(VECTORS_FILE, 'utf8')) as Vectors;
const attempts = vectors.map((vector) => ({ ...vector, secrets: vector.secrets.join() }));
const expected = vectors.map(({ name, code }) => [name, code === null]);
const [VECTOR] = vectors as [EdgeVector];
const [T = ''] = VECTOR.signature.split(',');
const [OWN = ''] = VECTOR.secrets;
const OTHER = `edgesec_${Buffer.alloc(32, 1).toString('base64')}`;

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

describe('the signature of an edge', () => {
  const { method, host: hostname, uri, id: requestId, metadata } = VECTOR;
  const request = { method, hostname, uri, requestId };
  const keys = {
    get: (id: string) => (id === 'gone' ? null : createSecretKey(Buffer.from(id.slice(8), 'base64'))),
  };

  test('is the test vector’s, with one value for each active secret', async () => {
    const now = VECTOR.now * 1_000 + 999;
    const sign = (...secrets: { id: string; from: number }[]) => signatureFor(secrets, keys, request, metadata, now);
    const [own, other] = [{ id: OWN, from: 0 }, { id: OTHER, from: now }]; // prettier-ignore
    expect(await sign(own)).toBe(VECTOR.signature);
    expect(await sign(own, other)).toBe(`${VECTOR.signature},v1=${edgeSignature(T.slice(2), VECTOR, OTHER)}`);
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
