import { rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Programs of the build that people start with the Node on their PATH. */
const ENTRIES = [
  'src/main/api.js',
  'src/main/worker.js',
  'src/main/edge.js',
  'src/main/edge-answerer.js',
  'src/main/start.js',
  'src/cli/main.js',
];

/**
 * Puts a check of Node's version in front of each program of the build folder. An older Node rejects our modules before
 * any of their code runs, so the check loads them only afterwards. `tools/require-node.cjs` does this for npm scripts.
 */
const [, , folder = 'dist'] = process.argv;
for (const entry of ENTRIES) {
  const path = join(folder, entry);
  const program = path.replace(/\.js$/, '.program.js');
  await rename(path, program);
  await writeFile(path, guardOf(basename(program)));
}

/** Returns code that every Node with modules understands. */
function guardOf(program: string): string {
  return `if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error('Node.js 24 or newer is required, and this is ' + process.version + '. Install it, then start again.');
  process.exit(1);
}
import('./${program}');
`;
}
