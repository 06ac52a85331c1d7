import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { startTemporal, type TemporalOptions } from '../../src/embedded/temporal.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { inspectProcess } from '../../src/embedded/process-info.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

async function start(dbFile: string, more: Partial<TemporalOptions> = {}) {
  return startTemporal({
    executable: process.env['TEMPORAL_CLI_PATH']!,
    dbFile,
    searchAttributes: { Hostname: 'Keyword' },
    dynamicConfig: { 'matching.enableFairness': true },
    onProgress: () => undefined,
    ...more,
  });
}

async function attributesOf(address: string): Promise<string[]> {
  const connection = await Connection.connect({ address });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
    return Object.keys(customAttributes);
  } finally {
    await connection.close();
  }
}

test('the dev server knows our search attributes when it is ready, at a second start too, and is stopped after stop', async () => {
  const dbFile = join(await tempFolder(), 'temporal', 'temporal.db');

  for (let time = 1; time <= 2; time++) {
    const temporal = await start(dbFile);
    expect(await attributesOf(temporal.address)).toContain('Hostname');
    expect((await fetch(temporal.uiUrl)).status).toBe(200);

    await temporal.stop();
    expect(await inspectProcess(temporal.pid)).toBeUndefined();
  }
});

test('two dev servers run concurrently', async () => {
  const folder = await tempFolder();
  const servers = await Promise.all([start(join(folder, 'one.db')), start(join(folder, 'two.db'))]);

  const known = await Promise.all(servers.map(({ address }) => attributesOf(address)));

  expect(known).toEqual([expect.arrayContaining(['Hostname']), expect.arrayContaining(['Hostname'])]);
  await Promise.all(servers.map((server) => server.stop()));
});

test('a server that loses the race for a port does not mistake the winner for itself, and takes another port', async () => {
  const folder = await tempFolder();
  const [port, executable] = [await freePort(), join(folder, 'slow-temporal')];
  const [begun, taken] = [join(folder, 'begun'), join(folder, 'taken')];
  // At that port it exits as Temporal does when it finds the port taken late: with a trace so long that its beginning
  // is lost.
  const program = `#!/bin/sh
case "$*" in *"--port ${port} "*)
  touch '${begun}'
  while [ ! -e '${taken}' ]; do sleep 0.1; done
  head -c 5000 /dev/zero | tr '\\0' x >&2
  exit 2
esac
exec '${process.env['TEMPORAL_CLI_PATH']}' "$@"
`;
  await writeFile(executable, program, { mode: 0o755 });

  const slow = start(join(folder, 'slow.db'), { executable, port });
  await until(() => existsSync(begun));
  const fast = await start(join(folder, 'fast.db'), { port });
  await writeFile(taken, '');
  const elsewhere = await slow;
  try {
    expect(fast.address).toBe(`127.0.0.1:${port}`);
    expect(elsewhere.address).not.toBe(fast.address);
    expect(await attributesOf(elsewhere.address)).toContain('Hostname');
  } finally {
    await Promise.all([fast.stop(), elsewhere.stop()]);
  }
});
