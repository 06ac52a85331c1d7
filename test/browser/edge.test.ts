import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { untilEveryCopyKnows } from '../../src/edge/barrier.ts';
import { launchChromium } from '../support/servers/chromium.ts';
import { startEchoOrigin, type EchoOrigin } from '../support/doubles/echo-origin.ts';
import { startEdgeLab, type EdgeLab } from '../support/fixtures/edge-lab.ts';
import { tempFolder } from '../support/temp-folder.ts';

let lab: EdgeLab;
let origin: EchoOrigin;
let browser: Browser;

beforeAll(async () => {
  lab = await startEdgeLab();
  origin = await startEchoOrigin('origin');
  await lab.control.setOrigin(origin.url);
  const home = await homeThatTrusts(lab.pebble.root);
  browser = await launchChromium({
    env: { HOME: home },
    resolverRules: `MAP *:443 127.0.0.1:${lab.caddy.httpsPort}, MAP *:80 127.0.0.1:${lab.caddy.httpPort}, MAP *:${lab.caddy.httpsPort} 127.0.0.1:${lab.caddy.httpsPort}`,
  });
}, 60_000);
afterAll(async () => {
  await browser.close();
  await origin.stop();
  await lab.stop();
});

/** Creates a home folder whose NSS database, which Chromium on Linux uses, trusts the root. */
async function homeThatTrusts(root: string): Promise<string> {
  const home = await tempFolder();
  const [store, file] = [join(home, '.pki/nssdb'), join(home, 'root.pem')];
  await mkdir(store, { recursive: true });
  await writeFile(file, root);
  execFileSync('certutil', ['-d', `sql:${store}`, '-N', '--empty-password']);
  execFileSync('certutil', ['-d', `sql:${store}`, '-A', '-t', 'C,,', '-n', 'laboratory', '-i', file]);
  return home;
}

test('a browser that trusts the CA opens a connected hostname, and http redirects to https', async () => {
  const name = await lab.name();
  await lab.control.connect(name);
  const page = await browser.newPage();
  const answer = await page.goto(`http://${name}/welcome`);
  expect(answer?.status()).toBe(200);
  expect(page.url()).toBe(`https://${name}:${lab.caddy.httpsPort}/welcome`);
  expect(await page.textContent('body')).toContain(name);
  expect(await answer?.securityDetails()).toMatchObject({
    protocol: 'TLS 1.3',
    issuer: expect.stringContaining('Pebble') as string,
  });
  await page.close();
});

test('a browser gets no certificate for an unverified hostname, and a 410 page for an archived hostname', async () => {
  const [unknown, gone] = [await lab.name(), await lab.name()];
  const id = await lab.control.connect(gone);
  const refused = await browser.newPage();
  await expect(refused.goto(`https://${unknown}/`)).rejects.toThrow('ERR_SSL_PROTOCOL_ERROR');
  await refused.close();
  const page = await browser.newPage();
  expect((await page.goto(`https://${gone}/`))?.status()).toBe(200);
  await lab.control.setState(id, 'archived');
  await untilEveryCopyKnows(lab.control.pool, { connectionId: id });
  expect((await page.goto(`https://${gone}/`))?.status()).toBe(410);
  expect(await page.textContent('h1')).toBe('This site is gone');
  await page.close();
});
