import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signatureHeaders } from '../../src/webhooks/sign.ts';
import { codeBlocks } from '../support/code-blocks.ts';
import { tempFolder } from '../support/temp-folder.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
const VECTOR = PAGE.slice(PAGE.indexOf('A test vector'));
const SECRET = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=';

/** For each language: the verifier from the page, wrapped in a program that exits 0 if it accepts its arguments. */
const LANGUAGES = [
  ['ts', process.execPath, 'verify.mts', (code: string) => `${code}\nconst [s, t, g, b] = process.argv.slice(2);\nverify(s!, t!, g!, Buffer.from(b!, 'base64'));\n`, []], // prettier-ignore
  ['python', 'python3', 'verify.py', (code: string) => `${code}\n\nimport sys, base64\nverify(sys.argv[1], sys.argv[2], sys.argv[3], base64.b64decode(sys.argv[4]))\n`, []], // prettier-ignore
  ['go', 'go', 'main.go', (code: string) => `package main\n\nimport (\n${['crypto/hmac', 'crypto/sha256', 'encoding/base64', 'encoding/hex', 'errors', 'math', 'os', 'strconv', 'time'].map((name) => `\t"${name}"`).join('\n')}\n)\n\n${code}\n\nfunc main() {\n\tbody, _ := base64.StdEncoding.DecodeString(os.Args[4])\n\tif verify(os.Args[1], os.Args[2], os.Args[3], body) != nil {\n\t\tos.Exit(1)\n\t}\n}\n`, ['run']], // prettier-ignore
  ['ruby', 'ruby', 'verify.rb', (code: string) => `${code}\nverify(ARGV[0], ARGV[1], ARGV[2], ARGV[3].unpack1('m'))\n`, []], // prettier-ignore
  ['php', 'php', 'verify.php', (code: string) => `${code}\nverify($argv[1], $argv[2], $argv[3], base64_decode($argv[4]));\n`, []], // prettier-ignore
] as const;

describe.each(LANGUAGES)('the verifier on the page in %s', (language, program, file, wrap, before) => {
  const block = codeBlocks().find((one) => one.page === 'docs/webhooks.md' && one.language === language);
  const code = block?.code.trimEnd() ?? '';

  test('fits in fifteen lines', () => {
    expect(code).not.toBe('');
    expect(code.split('\n').length).toBeLessThanOrEqual(15);
  });

  test('accepts what we sign, and rejects modified or old messages', async () => {
    const path = join(await tempFolder(), file);
    await writeFile(path, wrap(code));
    const body = Buffer.from('{"name":"bücher 🚀","n":1}');
    const now = Math.floor(Date.now() / 1_000);
    const accepts = (timestamp: number, sent: Buffer, signed = body): boolean => {
      const headers = signatureHeaders({ eventId: 'e', body: signed, timestamp }, { current: SECRET, next: null });
      const args = [...before, path, SECRET, String(timestamp), headers['x-svc-signature']!, sent.toString('base64')];
      return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
    };
    expect(accepts(now, body)).toBe(true);
    expect(accepts(now, Buffer.concat([body, Buffer.from(' ')]))).toBe(false);
    expect(accepts(now - 400, body)).toBe(false);
  }, 120_000);
});

test('the test vector on the page matches our signature', () => {
  const cell = (name: string) => new RegExp(`\\| ${name} +\\| \`(.*?)\` +\\|`).exec(VECTOR)![1]!;
  const body = Buffer.from(cell('body'));
  const { id } = JSON.parse(body.toString()) as { id: string };
  const headers = signatureHeaders(
    { eventId: id, body, timestamp: Number(cell('timestamp')) },
    { current: cell('secret'), next: null },
  );
  expect(headers).toMatchObject({
    'x-svc-signature': cell('`X-Svc-Signature`'),
    'webhook-signature': cell('`webhook-signature`'),
  });
});
