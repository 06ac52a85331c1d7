import { uuidv7 } from 'uuidv7';
import { createAcmeClient, type AcmeClient, type NewAccount } from '../acme/client.ts';
import { AcmeError } from '../acme/problem.ts';
import {
  accountOf,
  addAccount,
  listAccounts,
  saveAccountKey,
  saveAccountUrl,
  type AccountRow,
} from '../db/certificate/acme-accounts.ts';
import type { Pool, Queryable } from '../db/pool.ts';
import type { CaaAccounts } from '../domain/observation/caa-issue.ts';
import { envelopeOf, sealedIn } from '../vault/envelope.ts';
import type { SecretIdentity, Vault } from '../vault/vault.ts';
import { keyOfPem, newPrivateKey } from '../x509/keys.ts';
import { refusedAccount } from './failure.ts';

/** The worker's accounts at certificate authorities (CAs), one for each directory. All workers share them. */
export interface AcmeAccounts {
  /** Returns a client of the account, which is registered at its first use. */
  clientOf(directory: string): Promise<AcmeClient>;
  close(): Promise<void>;
}

interface Options extends NewAccount {
  pool: Pool;
  vault: Vault;
  /** Root certificates of the CA's own HTTPS, in place of the usual ones. */
  ca?: string | undefined;
}

export function acmeAccounts({ pool, vault, ca, ...account }: Options): AcmeAccounts {
  const opened = new Map<string, Promise<AcmeClient>>();

  async function open(directory: string): Promise<AcmeClient> {
    const row = (await accountOf(pool, directory)) ?? (await create(directory));
    const client = createAcmeClient(keyOfPem(keyIn(vault, row)), row.url, { directoryUrl: directory, ca });
    if (row.url === null) await saveAccountUrl(pool, directory, await register(client));
    return client;
  }

  const register = (client: AcmeClient): Promise<string> =>
    client.register(account).catch((error: unknown) => {
      throw error instanceof AcmeError ? refusedAccount(error) : error;
    });

  async function create(directory: string): Promise<AccountRow> {
    const id = uuidv7();
    const sealed = vault.seal(await newPrivateKey(), identityOf({ id, directory }));
    return addAccount(pool, { id, directory, ...envelopeOf(sealed), created_at: new Date() });
  }

  return {
    clientOf(directory) {
      const client = opened.get(directory) ?? open(directory);
      opened.set(directory, client);
      client.catch(() => opened.delete(directory)); // the next order tries again
      return client;
    },
    async close() {
      await Promise.all([...opened.values()].map(async (client) => (await client).close().catch(() => undefined)));
    },
  };
}

/** Returns the accounts that CAA records can name. The worker's is known once it is registered. */
export async function caaAccounts(
  db: Queryable,
  directory: string | null,
  edge: readonly string[],
): Promise<CaaAccounts> {
  const own = directory === null ? null : await accountOf(db, directory);
  return { edge, ordered: own?.url == null ? [] : [own.url] };
}

/** An account belongs to the service and not to a tenant. */
const identityOf = ({ id, directory }: Pick<AccountRow, 'id' | 'directory'>): SecretIdentity => ({
  kind: 'acme_account',
  tenantId: '',
  ownerId: directory,
  id,
});

const keyIn = (vault: Vault, row: AccountRow): string => vault.open(sealedIn(row), identityOf(row));

/** Encrypts the key of every account under the newest master key. Returns how many changed. */
export async function rewrapAccounts(pool: Pool, vault: Vault): Promise<number> {
  let changed = 0;
  for (const row of await listAccounts(pool)) {
    const sealed = sealedIn(row);
    const fresh = vault.rewrap(sealed, identityOf(row));
    if (fresh === sealed) continue;
    await saveAccountKey(pool, { ...row, ...envelopeOf(fresh) });
    changed++;
  }
  return changed;
}
