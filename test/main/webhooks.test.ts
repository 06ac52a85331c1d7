import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Receiver } from '../support/doubles/receiver.ts';
import { Service } from '../support/fixtures/service.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** The whole service, as a newcomer starts it. */
jest.setTimeout(180_000);
let service: Service;
let receiver: Receiver;
beforeAll(async () => {
  service = await Service.start(await tempFolder(), { EDGE: 'off' });
  receiver = await Receiver.start();
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

const randomName = () => `${randomUUID().slice(0, 8)}.auto.test`;
const KINDS = ['domain.added', 'domain.verified', 'ssl.issued', 'domain.flow.completed'];

test('a tenant registers an endpoint, receives signed events in order, sees each attempt and replays one', async () => {
  const { test: side } = await service.demo();
  const { status, body } = await service.call('POST', '/webhook-endpoints', {
    application_id: side.application_id,
    url: receiver.url,
  });
  expect(status).toBe(201);
  receiver.secrets = [String(body['signing_secret'])];
  expect((await service.call('GET', `/webhook-endpoints/${String(body['id'])}`)).body).not.toHaveProperty(
    'signing_secret',
  );

  const name = randomName();
  const id = await service.connect(name);
  await service.untilLive(id);
  await until(() => receiver.received.length === 4);
  expect(receiver.types).toEqual(KINDS);
  expect(receiver.received.map(({ event }) => event.sequence)).toEqual([1, 2, 3, 4]);
  expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
  await until(() =>
    KINDS.every((kind, i) => service.output.includes(`webhook  ${kind} #${i + 1} ${name}  signature valid`)),
  );

  const list = async () =>
    (await service.call('GET', `/webhook-endpoints/${String(body['id'])}/deliveries?status=delivered`)).body['data'] as { id: string; event_id: string }[]; // prettier-ignore
  await until(async () => (await list()).length === 4);
  const { id: delivery, event_id: eventId } = (await list())[0]!;
  expect((await service.call('GET', `/deliveries/${delivery}`)).body).toMatchObject({
    status: 'delivered',
    attempts: [{ number: 1, outcome: 'delivered', status_code: 204, url: receiver.url }],
  });
  expect((await service.call('POST', `/deliveries/${delivery}:replay`)).status).toBe(200);
  await until(() => receiver.received.length === 5);
  expect(receiver.received[4]).toMatchObject({ isGenuine: true, event: { id: eventId } });
  await service.call('DELETE', `/connections/${id}`);
});

test('listen forwards events with a stable secret, trigger sends an example, and resend sends an event again', async () => {
  const local = await Receiver.start();
  const listening = () => {
    const child = spawn(
      process.execPath,
      [CLI, 'listen', '--forward-to', local.url, '--events', 'domain.added,webhook.test'],
      {
        env: { ...process.env, DATA_DIR: service.dataDir },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const heard = { output: '' };
    child.stdout.on('data', (chunk: Buffer) => (heard.output += chunk.toString()));
    return { child, heard, secret: () => /Signing secret: (\S+)/.exec(heard.output)?.[1] };
  };
  const first = listening();
  await until(() => first.secret() !== undefined);
  local.secrets = [first.secret()!];
  await service.connect(randomName());
  await until(() => local.received.length === 1);
  expect(local.received[0]).toMatchObject({ isGenuine: true, event: { type: 'domain.added', sequence: 1 } });
  await until(() => / domain\.added #1 .* → 204 {2}\d+ ms/.test(first.heard.output));

  const before = receiver.received.length;
  await cli('trigger', 'domain.drift');
  await until(() => receiver.types.slice(before).includes('domain.drift'));
  const event = receiver.received.find(({ event: { type } }) => type === 'domain.drift')!;
  await cli('events', 'resend', event.event.id);
  await until(() => receiver.received.filter(({ event: { id } }) => id === event.event.id).length === 2);

  first.child.kill('SIGINT');
  await once(first.child, 'exit');
  const second = listening();
  await until(() => second.secret() !== undefined);
  expect(second.secret()).toBe(first.secret());
  second.child.kill('SIGINT');
  await once(second.child, 'exit');
  await local.stop();
});

const CLI = join(import.meta.dirname, '../../src/cli/main.ts');

async function cli(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...process.env, DATA_DIR: service.dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
}
