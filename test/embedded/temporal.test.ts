import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { startTemporal } from '../../src/embedded/temporal.ts';
import { inspectProcess } from '../../src/embedded/process-info.ts';
import { tempFolder } from '../support/temp-folder.ts';

async function start(dbFile: string) {
  return startTemporal({
    executable: process.env['TEMPORAL_CLI_PATH']!,
    dbFile,
    searchAttributes: { Hostname: 'Keyword' },
    dynamicConfig: { 'matching.enableFairness': true },
    onProgress: () => undefined,
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

test('the dev server knows our search attributes when it is ready, at a second start too, and is gone after stop', async () => {
  const dbFile = join(await tempFolder(), 'temporal', 'temporal.db');

  for (let time = 1; time <= 2; time++) {
    const temporal = await start(dbFile);
    expect(await attributesOf(temporal.address)).toContain('Hostname');
    expect((await fetch(temporal.uiUrl)).status).toBe(200);

    await temporal.stop();
    expect(await inspectProcess(temporal.pid)).toBeUndefined();
  }
});

test('two dev servers run side by side', async () => {
  const folder = await tempFolder();
  const servers = await Promise.all([start(join(folder, 'one.db')), start(join(folder, 'two.db'))]);

  const known = await Promise.all(servers.map(({ address }) => attributesOf(address)));

  expect(known).toEqual([expect.arrayContaining(['Hostname']), expect.arrayContaining(['Hostname'])]);
  await Promise.all(servers.map((server) => server.stop()));
});
