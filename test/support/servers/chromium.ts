import { chromium, type Browser } from 'playwright-core';
import { CHROMIUM } from '../../runner/system-files.ts';

/** Hostnames resolve to this machine only, so tests send no packet elsewhere. */
const THIS_MACHINE_ONLY = 'MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost';

/** Starts Debian's Chromium without any traffic of its own. */
export const launchChromium = ({
  resolverRules = THIS_MACHINE_ONLY,
  env = {},
}: { resolverRules?: string; env?: Record<string, string> } = {}): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    env: { ...(process.env as Record<string, string>), ...env },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-features=HttpsUpgrades',
      `--host-resolver-rules=${resolverRules}`,
    ],
  });
