import { AT_REST } from '../../domain/connection/state-sets.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { API_OPTIONS, type ApiAccess } from '../api-access.ts';
import { checklist, checklistView, WatchedConnection } from '../checklist.ts';
import { APPLICATION, EXIT, idIn, required, type ApiCommand, type Output, type Values } from '../command.ts';
import { CommandError } from '../errors.ts';

const connect: ApiCommand = {
  name: 'connect',
  summary: 'Connects a hostname and shows the records to add',
  options: {
    application: { ...APPLICATION.application, help: 'The application. Defaults to the only one of the key' },
    watch: { type: 'boolean', help: 'Wait until the hostname is live or has failed' },
    ...API_OPTIONS,
  },
  examples: ['connect shop-1.auto.test --watch'],
  requires: ['HOSTNAME'],
  positional: 'HOSTNAME',
  async runByApi(values, api) {
    const application_id = await applicationIn(values, api);
    const made = await api.call('POST', '/connections', { application_id, hostname: required(values, 'HOSTNAME') });
    const { id } = z.object({ id: z.uuid() }).parse(made);
    return values['watch'] === true ? watch(api, id) : outputOf(await read(api, id));
  },
};

export const connectCommands = [connect];

const read = async (api: ApiAccess, id: string): Promise<WatchedConnection> =>
  WatchedConnection.parse(await api.call('GET', `/connections/${id}`));

const Applications = z.object({ data: z.array(z.object({ id: z.uuid() })) });

/** Returns the application of --application, or the only one that the key reaches. */
async function applicationIn(values: Values, api: ApiAccess): Promise<string> {
  if (values['application'] !== undefined) return idIn(values, 'application');
  const { data } = Applications.parse(await api.call('GET', '/applications'));
  const [only, ...others] = data;
  if (only === undefined || others.length > 0)
    throw new CommandError(`The key reaches ${data.length} applications. Choose one with --application.`);
  return only.id;
}

const POLL_EVERY_MS = 1_000;

/** Ending the command does not stop the connection. */
async function watch(api: ApiAccess, id: string): Promise<Output> {
  const view = checklistView(process.stderr);
  for (;;) {
    const connection = await read(api, id);
    view.show(checklist(connection));
    if (AT_REST.has(connection.state)) return { ...outputOf(connection), lines: checklist(connection).slice(0, 1) };
    await pause(POLL_EVERY_MS);
  }
}

const outputOf = (connection: WatchedConnection): Output => ({
  json: connection,
  lines: checklist(connection),
  exitCode: connection.state === 'failed' ? EXIT.wrong : 0,
});
