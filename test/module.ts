import { buildEdge, goEnvironment, moduleFolder } from '../src/embedded/edge-build.ts';
import { runTool } from '../src/embedded/run-tool.ts';
import { runJest } from './runner/run-jest.ts';

/**
 * Tests Caddy with our module: `npm run test:module`. Builds it, runs its Go tests with the race detector, and then the
 * tests of the edge with it instead of stock Caddy. Arguments go to jest in place of `test/edge`.
 */
const [first = 'test/edge', ...more] = process.argv.slice(2);
process.env['CADDY_PATH'] = await buildEdge((line) => process.stdout.write(`${line}\n`));
process.env['EDGE_ASKING'] = 'module';

// Only the package without Caddy runs with the race detector, which would compile all of Caddy again.
for (const args of [
  ['vet', './...'],
  ['test', '-race', './kept'],
]) {
  const { ok, output } = await runTool('go', args, { cwd: moduleFolder(), env: goEnvironment() });
  if (!ok) throw new Error(`go ${args.join(' ')} failed:\n${output}`);
  process.stdout.write(`go ${args.join(' ')}: ok\n`);
}
const { passed, failed } = await runJest([first, ...more]);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
