import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { doubledSlugs } from './providers/every-double.ts';
import { NO_SERVERS_VARIABLE, runJest } from './runner/run-jest.ts';

/**
 * Tests one provider against its double, without Postgres and Temporal: `npm run test:provider -- vultr`. Runs the
 * provider's own file, which contains the conformance suite, and the files that check the data of every provider.
 * Further arguments go to jest.
 */
const [slug = '', ...more] = process.argv.slice(2);
const own = `test/providers/${slug}.test.ts`;
if (!doubledSlugs.includes(slug) || !existsSync(join(import.meta.dirname, '..', own))) {
  process.stderr.write(`"${slug}" has no double or no test. Name one of: ${doubledSlugs.join(', ')}.\n`);
  process.exit(1);
}

process.env[NO_SERVERS_VARIABLE] = '1';
const { passed, failed } = await runJest([
  own,
  'test/providers/recorded.test.ts',
  'test/providers/registry.test.ts',
  'test/unit/detect.test.ts',
  ...more,
]);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
