import { buildEdge } from '../src/embedded/edge-build.ts';

/** Builds Caddy with our module and prints its path. `npm run build:edge`. */
process.stdout.write(`${await buildEdge((line) => process.stderr.write(`${line}\n`))}\n`);
