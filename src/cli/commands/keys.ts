import { CreateKey } from '../../api/schemas/keys.ts';
import { audit } from '../../db/audit.ts';
import { getApplication } from '../../db/tenant/applications.ts';
import { createKey, revokeKey } from '../../db/tenant/keys.ts';
import { SCOPES } from '../../domain/scope.ts';
import { APPLICATION, idIn, required, scopesIn, type Command, type PlainCommand, type Values } from '../command.ts';
import { addFeedTls, inlineSettings, makeFeedTls, makeSecrets, writeSettings } from '../deployment-secrets.ts';
import { CommandError, UsageError } from '../errors.ts';

/** An operator has no API key and no request id, so both are null in the audit log. */
const byOperator = { key_id: null, request_id: null };

const create: Command = {
  name: 'key create',
  summary: 'Creates an API key for an application',
  options: {
    ...APPLICATION,
    name: { type: 'string', value: 'NAME', help: 'Name of the key in lists' },
    scopes: { type: 'string', value: 'SCOPES', help: `Comma-separated list of ${SCOPES.join(', ')}. Defaults to all` },
  },
  examples: [
    'key create --application 01a1e812-8b29-7612-a7a6-0ab24065ea05 --name backend --scopes connections:read,usage:read',
  ],
  requires: ['application', 'name'],
  run: (values, { pool }) =>
    pool.transaction(async (tx) => {
      const [id, name, scopes] = [idIn(values, 'application'), nameIn(values), scopesIn(values, SCOPES)];
      const application = await getApplication(tx, id);
      if (application === null) throw new CommandError(`There is no application ${id}.`);
      const { tenant_id, environment } = application;
      const { row, secret } = await createKey(tx, { tenant_id, application_id: id, environment, name, scopes });
      const fields = ['name', 'scopes'];
      const now = row.created_at;
      await audit(tx, { ...byOperator, tenant_id, environment, action: 'key.created', target_id: row.id, fields, now });
      return {
        json: { id: row.id, application_id: id, environment, scopes: row.scopes, secret },
        lines: [`Key    ${row.id}`, `Secret ${secret}`, 'The secret is not shown again.'],
      };
    }),
};

const revoke: Command = {
  name: 'key revoke',
  summary: 'Revokes an API key. Its next request is refused',
  options: { key: { type: 'string', value: 'ID', help: 'Id of the key, not its secret' } },
  examples: ['key revoke --key 01a1e812-8b29-7612-a7a6-0ab24065ea05'],
  requires: ['key'],
  run: (values, { pool }) =>
    pool.transaction(async (tx) => {
      const id = idIn(values, 'key');
      const now = new Date();
      const row = await revokeKey(tx, id, now);
      if (row === null) throw new CommandError(`There is no key ${id}.`);
      const { tenant_id, environment } = row;
      await audit(tx, { ...byOperator, tenant_id, environment, action: 'key.revoked', target_id: id, fields: [], now });
      return {
        json: { id, revoked_at: row.revoked_at },
        lines: [`Key ${id} was revoked at ${row.revoked_at?.toISOString() ?? ''}.`],
      };
    }),
};

const make: PlainCommand = {
  name: 'keys make',
  summary: 'Creates keys and passwords for a new deployment',
  details: 'Writes a .env file and, next to it, a folder "secrets". Existing files are never replaced.',
  options: { file: { type: 'string', value: 'FILE', help: 'The .env file to write, or - for stdout' } },
  examples: ['keys make --file .env', 'keys make --file -'],
  requires: ['file'],
  async runPlain(values) {
    const [file, secrets] = [required(values, 'file'), makeSecrets()];
    if (file === '-') return { json: secrets, lines: [inlineSettings(secrets).trimEnd()] };
    const files = { ...secrets, ...(await makeFeedTls()) };
    const { folder } = await writeSettings(file, files);
    return {
      json: { file, folder, secrets: Object.keys(files) },
      lines: [`${file} and ${folder} contain new keys and passwords.`, `Now set EDGE_CNAME_TARGET in ${file}.`],
    };
  },
};

const feed: PlainCommand = {
  name: 'keys feed',
  summary: 'Creates the certificate with which the feed of edges speaks TLS',
  details: 'Writes EDGE_FEED_CERT and EDGE_FEED_KEY to the folder "secrets". Each agent needs a copy of the first.',
  options: {
    file: { type: 'string', value: 'FILE', help: 'The .env file next to the folder' },
    name: {
      type: 'string',
      value: 'NAMES',
      help: 'Comma-separated names or IPv4 addresses at which agents elsewhere reach the feed',
    },
  },
  examples: ['keys feed --file .env', 'keys feed --file .env --name feed.example.com'],
  requires: ['file'],
  async runPlain(values) {
    const names = typeof values['name'] === 'string' ? values['name'].split(',') : [];
    if (!names.every((name) => /^[a-z0-9.-]{1,253}$/i.test(name)))
      throw new UsageError('--name must be host names or IPv4 addresses.');
    const { folder } = await addFeedTls(required(values, 'file'), names);
    return { json: { folder }, lines: [`${folder} contains the certificate of the feed and its key.`] };
  },
};

export const keyCommands = [create, revoke, make, feed];

/** Applies the API's rule for names, because the API lists the key too. */
function nameIn(values: Values): string {
  const name = CreateKey.shape.name.safeParse(required(values, 'name').trim());
  if (!name.success) throw new UsageError('--name must be 1 to 100 printable characters.');
  return name.data;
}
