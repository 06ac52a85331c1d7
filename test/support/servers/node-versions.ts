import { join } from 'node:path';
import { cachedFolder } from '../../../src/embedded/cache.ts';
import { cacheDir } from '../../../src/embedded/folders.ts';
import { lastLines, runTool } from '../../../src/embedded/run-tool.ts';

/** Older Nodes on which the client must run. The tests themselves run on the newest. */
const OLDER = { 20: '20.20.2', 22: '22.23.3' } as const;

/** Returns the path of an older Node, which npm fetches once, outside the checkout. */
export async function olderNode(major: keyof typeof OLDER): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = await cachedFolder(join(cacheDir(), `${name}-${OLDER[major]}`), async (aside) => {
    const install = ['install', '--prefix', aside, '--no-save', '--ignore-scripts', `${name}@${OLDER[major]}`];
    const { ok, output } = await runTool('npm', install);
    if (!ok) throw new Error(`npm could not fetch Node ${OLDER[major]}: ${lastLines(output)}`);
  });
  return join(folder, 'node_modules', name, 'bin', 'node');
}

/** Fetches every older Node; `all-servers.ts` does so before the tests. */
export async function obtainOlderNodes(): Promise<void> {
  await olderNode(20);
  await olderNode(22);
}
