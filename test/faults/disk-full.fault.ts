import { execFile } from 'node:child_process';
import { chown, mkdir, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { postgresAccount } from '../../src/embedded/postgres-account.ts';
import { until } from '../support/until.ts';
import { asks } from './invariants.ts';
import { saw } from './report.ts';
import { newName, inLab } from './fault-lab.ts';

const run = promisify(execFile);
const SIZE_MB = 64;
const isRoot = process.getuid?.() === 0 && process.platform === 'linux';
if (!isRoot) saw(12, 'not tried: only root on Linux may mount a disk of its own size');

/** Mounts a small disk for the tables. The WAL is on another disk, because Postgres stops when that disk is full. */
async function mountSmallDisk(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=0700`, 'fault-disk', folder]);
  const { uid, gid } = await postgresAccount(folder);
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
}

async function moveTo(folder: string, serverUrl: string): Promise<void> {
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  await server.query(`CREATE TABLESPACE small LOCATION '${folder}'`);
  await server.query('ALTER DATABASE service SET TABLESPACE small');
  await server.end();
}

/** Writes until the disk is full. */
async function fill(file: string): Promise<void> {
  const handle = await open(file, 'w');
  try {
    for (const size of [1 << 20, 4_096])
      for (;;)
        if ((await handle.write(Buffer.alloc(size, 1)).catch(() => ({ bytesWritten: 0 }))).bytesWritten < size) break;
  } finally {
    await handle.close();
  }
}

(isRoot ? test : test.skip)(
  'row 12: with its disk full Postgres refuses writes, which get 503; reads and asks continue, and nothing is damaged afterwards',
  async () => {
    const folder = join(tmpdir(), `fault-disk-${process.pid}`);
    await mountSmallDisk(folder);
    const small = { row: 12, apis: 1, prepare: (serverUrl: string) => moveTo(folder, serverUrl) };
    await inLab(small, async (lab) => {
      const user = lab.user();
      const port = lab.apis[0]!.process.port;
      const standing = newName();
      const id = await user.connect(standing);
      await lab.untilLive([standing]);
      await until(() => asks(port, standing));
      const filler = join(folder, 'filler');
      await fill(filler);
      const made: string[] = [];
      const statuses: number[] = [];
      const tryOne = async () => {
        const hostname = newName();
        const { status, body } = await user.call('POST', '/connections', {
          application_id: lab.tenant.test.application_id,
          hostname,
        });
        statuses.push(status);
        if (status === 201) made.push(hostname);
        else expect(body).toMatchObject({ error: { code: 'unavailable' } });
        return status;
      };
      for (let i = 0; i < 2_000 && (await tryOne()) === 201; i++);
      for (let i = 0; i < 10; i++) await tryOne();
      expect(new Set(statuses)).toEqual(new Set([201, 503]));
      expect((await user.call('GET', `/connections/${id}`)).status).toBe(200);
      expect((await user.call('GET', '/connections')).status).toBe(200);
      expect([await asks(port, standing), await asks(port, newName())]).toEqual([true, false]);

      await rm(filler);
      await until(async () => (await tryOne()) === 201);
      await lab.untilLive(made, 150_000);
      const tables = await lab.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
      );
      // Reading every page verifies its checksum.
      for (const { name } of tables) await lab.query(`SELECT count(*) FROM ${name} WHERE ${name}::text IS NOT NULL`);
      const refused = statuses.filter((status) => status === 503).length;
      return `${made.length} acknowledged, all live; ${refused} refused with 503; ${tables.length} tables read whole`;
    }).finally(() => run('umount', ['-l', folder]));
  },
  400_000,
);
