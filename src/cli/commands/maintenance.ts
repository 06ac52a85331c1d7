import { rewrapEdgeSecrets } from '../../certificates/edge-secrets.ts';
import { rewrapCertificateKeys } from '../../certificates/keys.ts';
import { finishUpgrade, untilAccepting } from '../../db/migrate.ts';
import { createLog } from '../../log.ts';
import { rewrapAccounts } from '../../ordering/accounts.ts';
import { rewrapCredentials } from '../../provisioning/credentials.ts';
import { prepareDatabase, registerOwnEdge } from '../../main/database.ts';
import { openTemporal } from '../../temporal/client.ts';
import { reconcile } from '../../temporal/reconcile.ts';
import { openVault } from '../../vault/vault.ts';
import { rewrapEndpoints } from '../../webhooks/secrets.ts';
import type { Command, SettingsCommand } from '../command.ts';
import { CommandError } from '../errors.ts';

const restart: Command = {
  name: 'reconcile',
  summary: 'Restarts connections that have no running workflow',
  examples: ['reconcile', 'reconcile --all'],
  options: { all: { type: 'boolean', help: 'Check every connection, after Temporal lost its data' } },
  requires: [],
  async run(values, { pool, addresses, env, config }) {
    if (addresses.temporal_address === null)
      throw new CommandError('Set TEMPORAL_ADDRESS to the address of the Temporal server.');
    const temporal = openTemporal(
      { ...env, TEMPORAL_ADDRESS: addresses.temporal_address },
      config.TEMPORAL_TASK_QUEUE,
      config.TEMPORAL_CODEC_KEYS,
    );
    try {
      const log = createLog({ level: 'silent', name: 'cli' });
      const result = await reconcile({ pool, temporal, log }, values['all'] === true);
      return { json: result, lines: [`Checked ${result.asked} connections, restarting ${result.restarted}.`] };
    } finally {
      await temporal.connection.close();
    }
  },
};

const rewrap: Command = {
  name: 'credentials rewrap',
  summary: 'Encrypts every stored secret with the newest key',
  details: 'The newest key is the first of CREDENTIAL_KEYS. You can then remove the other keys.',
  examples: ['credentials rewrap'],
  options: {},
  requires: [],
  async run(_values, { pool, credentialKeys }) {
    if (credentialKeys === undefined) throw new CommandError('Set CREDENTIAL_KEYS, with the new key first.');
    const vault = openVault(credentialKeys);
    const moved =
      (await rewrapCredentials(pool, vault)) +
      (await rewrapEndpoints(pool, vault)) +
      (await rewrapCertificateKeys(pool, vault)) +
      (await rewrapEdgeSecrets(pool, vault)) +
      (await rewrapAccounts(pool, vault));
    return { json: { rewrapped: moved }, lines: [`${moved} secrets were encrypted again.`] };
  },
};

/** Uses only the owner's login, because the other logins may not exist yet. */
const migrateSchema: SettingsCommand = {
  name: 'migrate',
  role: 'migration',
  summary: 'Migrates the database to this version',
  details:
    'Also creates the logins in API_DATABASE_URL and WORKER_DATABASE_URL, and registers the edge that has EDGE_TOKEN.',
  examples: ['migrate', 'migrate --finish'],
  options: {
    finish: {
      type: 'boolean',
      help: 'Also remove what only the previous release needs. Use it when no process of that release runs any more',
    },
  },
  requires: [],
  async runBySettings(values, config) {
    const { MIGRATION_DATABASE_URL, API_DATABASE_URL, WORKER_DATABASE_URL } = config;
    const owner = MIGRATION_DATABASE_URL ?? config.DATABASE_URL;
    if (owner !== undefined)
      await untilAccepting(owner, () => process.stderr.write('Waiting for the database to accept connections …\n'));
    const urls = await prepareDatabase({ ...config, DATABASE_URL: config.DATABASE_URL ?? MIGRATION_DATABASE_URL });
    await registerOwnEdge(owner ?? urls.worker, config);
    if (values['finish'] === true) await finishUpgrade(owner ?? urls.worker);
    const logins = [API_DATABASE_URL, WORKER_DATABASE_URL].flatMap((url) =>
      url === undefined ? [] : [decodeURIComponent(new URL(url).username)],
    );
    const made = logins.length === 0 ? '' : ` Logins: ${logins.join(', ')}.`;
    return { json: { migrated: true, logins }, lines: [`The database has the schema of this version.${made}`] };
  },
};

export const maintenanceCommands = [restart, rewrap, migrateSchema];
