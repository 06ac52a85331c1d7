import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Receiver } from '../support/doubles/receiver.ts';
import { ConsoleLab } from '../support/fixtures/console-lab.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const SEEDED = 400;

interface Scene {
  /** Below /console, for a session of the test environment. */
  path(domains: Domains): string;
  /** Text that appears once the data of the screen is there. */
  text: string;
  /** Brings the screen into the state of the picture. */
  act?(page: Page): Promise<void>;
}

interface Domains {
  live: string;
  stalled: string;
  batch: string;
  endpoint: string;
  delivery: string;
}

/** One scene for each screen. A new screen adds its own. */
const SCENES: Record<string, Scene> = {
  overview: { path: () => '/', text: 'Needs attention' },
  domains: { path: () => '/domains', text: 'Hostname' },
  'domain-stalled': {
    path: ({ stalled }) => `/domains/${stalled}`,
    text: 'What needs a fix',
    act: async (page) => {
      await page.getByRole('button', { name: 'Check now' }).click();
      await page.getByText('no such record').waitFor();
    },
  },
  'domain-live': {
    path: ({ live }) => `/domains/${live}`,
    text: 'Certificate',
    act: async (page) => {
      await page.getByRole('button', { name: 'Compare with the zone' }).click();
      await page.locator('.diff').waitFor();
    },
  },
  connect: {
    path: () => '/connect',
    text: 'Many domains',
    act: async (page) => {
      const rows = ['hostname,external_id', 'shop.fern.auto.test,customer-1', 'https://shop.oak.auto.test,customer-2', 'shop.elm.auto.test,customer-3']; // prettier-ignore
      await page.getByLabel('Or paste the rows').fill(rows.join('\n'));
      await page.getByText('3 rows, 1 with a problem').waitFor();
    },
  },
  batch: { path: ({ batch }) => `/connect/${batch}`, text: 'Failures' },
  credentials: { path: () => '/credentials', text: 'managed.test' },
  'credential-new': { path: () => '/credentials/new?provider=cloudflare', text: 'Create Custom Token' },
  webhooks: { path: () => '/webhooks', text: 'Every event' },
  endpoint: { path: ({ endpoint }) => `/webhooks/${endpoint}`, text: 'last 30 days' },
  delivery: { path: ({ delivery }) => `/webhooks/deliveries/${delivery}`, text: 'Attempt 1' },
  keys: { path: () => '/keys', text: 'Every scope' },
  plan: { path: () => '/plan', text: 'Active domains' },
  audit: { path: () => '/audit', text: 'webhook_endpoint.created' },
  sessions: { path: () => '/sessions', text: 'Yours' },
  sandbox: { path: () => '/sandbox', text: 'DNS records' },
};

/** Takes screenshots of every screen of the console and of its sign-in page, light and dark, at 1280 and 360 px. */
export async function shootConsole(folder: string, isWanted: (name: string) => boolean): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const lab = await ConsoleLab.start();
  const files: string[] = [];
  try {
    const domains = await prepare(lab);
    const shoot = async (page: Page, name: string, width: number) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const path = join(folder, `${name}-${colorScheme}-${width}.png`);
        await page.screenshot({ path });
        files.push(path);
      }
      await page.context().close();
    };
    for (const width of [1280, 360]) {
      const context = { viewport: { width, height: width === 360 ? 740 : 860 } };
      if (isWanted('sign-in')) {
        const page = await lab.page(context);
        await page.goto((await lab.link()).url);
        await page.getByText('Environment').waitFor();
        await shoot(page, 'sign-in', width);
      }
      for (const [name, { path, text, act }] of Object.entries(SCENES)) {
        if (!isWanted(name)) continue;
        const { page } = await lab.open(path(domains), { context });
        await page.getByText(text).first().waitFor();
        await act?.(page);
        await page.waitForLoadState('networkidle');
        await shoot(page, name, width);
      }
    }
  } finally {
    await lab.stop();
  }
  return files;
}

/** Seeds plausible domains, and connects two real ones for the screens of a domain. */
async function prepare(lab: ConsoleLab): Promise<Domains> {
  const { test: demo } = await lab.service.demo();
  const env = { ...process.env, DATA_DIR: lab.service.dataDir };
  const seed = ['tools/seed.ts', '--count', String(SEEDED), '--application', demo.application_id];
  execFileSync(process.execPath, seed, { cwd: ROOT, env, stdio: 'ignore' });
  await lab.service.call('PATCH', `/applications/${demo.application_id}`, { name: 'Shop builder', sandbox_speed: 30 });
  const live = await lab.connect('shop.maple.managed.test', 'customer-1041');
  const stalled = await lab.connect('shop.willow.stall.test', 'customer-1042');
  await lab.untilState(live, 'live');
  await lab.untilState(stalled, 'stalled');
  return { live, stalled, ...(await prepareBatch(lab, demo.application_id)), ...(await prepareWebhook(lab, demo.application_id)) }; // prettier-ignore
}

/** Sends a batch with rows of every kind. */
async function prepareBatch(lab: ConsoleLab, application_id: string): Promise<Pick<Domains, 'batch'>> {
  const good = Array.from({ length: 40 }, (_, i) => ({ hostname: `shop-${i}.fleet.auto.test`, external_id: `customer-${2_000 + i}` })); // prettier-ignore
  const bad = ['co.uk', 'https://shop.oak.auto.test', 'bad_name.auto.test'].map((hostname) => ({ hostname }));
  const { body } = await lab.service.call('POST', '/batches', { application_id, hostnames: [...good, ...bad] });
  return { batch: String(body['batch_id']) };
}

/** Creates an endpoint whose receiver answers with an error, and sends it a test event. */
async function prepareWebhook(
  lab: ConsoleLab,
  application_id: string,
): Promise<Pick<Domains, 'endpoint' | 'delivery'>> {
  const receiver = await Receiver.start();
  receiver.answer = (response) => response.writeHead(503).end('{"error": "The queue is full."}');
  const made = await lab.service.call('POST', '/webhook-endpoints', {
    application_id,
    url: receiver.url,
    events: ['*'],
  });
  const endpoint = String(made.body['id']);
  const sent = await lab.service.call('POST', `/webhook-endpoints/${endpoint}:test`, { type: 'domain.verified' });
  await until(() => receiver.received.length > 0, 60_000);
  await receiver.stop();
  return { endpoint, delivery: String(sent.body['id']) };
}
