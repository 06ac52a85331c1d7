import { readFile, stat } from 'node:fs/promises';
import { isRoot } from './folders.ts';
import { StartError } from './start-error.ts';

/** The account that runs Postgres; empty for the account of this process. */
export interface Account {
  uid?: number;
  gid?: number;
}

/** Returns the account for Postgres, which refuses to run as root: the owner of the data, `postgres` or `nobody`. */
export async function postgresAccount(dataDir: string): Promise<Account> {
  if (!isRoot()) return {};
  const owner = await stat(dataDir).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = await readFile('/etc/passwd', 'utf8');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] =
      accounts
        .split('\n')
        .find((line) => line.startsWith(`${name}:`))
        ?.split(':') ?? [];
    // macOS writes the id of `nobody` as -2; system calls expect it as an unsigned number.
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
  }
  throw new StartError(
    'Postgres does not run as root, and there is no account `postgres` or `nobody` to run it. Start as an ordinary user, or set DATABASE_URL.',
  );
}
