import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { accountOf } from '../../src/db/certificate/acme-accounts.ts';
import { failureOf } from '../../src/db/certificate/acme-failures.ts';
import { orderOfConnection } from '../../src/db/certificate/acme-orders.ts';
import { acmeAccounts } from '../../src/ordering/accounts.ts';
import { beginOrder } from '../../src/ordering/begin.ts';
import { finishOrder } from '../../src/ordering/end.ts';
import { place, runStep } from '../../src/ordering/steps.ts';
import { someLabel, startOrderingLab, type OrderingLab } from '../support/fixtures/ordering-lab.ts';

const KEY = randomBytes(32).toString('base64url');

/** A CA that creates accounts only for its customers (RFC 8555 section 7.3.4). */
let lab: OrderingLab;
beforeAll(async () => {
  lab = await startOrderingLab({ externalAccounts: { 'customer-1': KEY } });
});
afterAll(() => lab.stop());

/** Places an order with this external account, and returns the step's result and the failure. */
async function placed(externalAccount?: { keyId: string; macKey: string }) {
  const { pool, vault, directory } = lab.ordering;
  const ca = await readFile(lab.pebble.caFile, 'utf8');
  const accounts = acmeAccounts({ pool, vault, ca, ...(externalAccount && { externalAccount }) });
  const connection = await lab.connect(`${someLabel()}.${await lab.domain()}`);
  await pool.transaction((tx) => beginOrder(tx, vault, connection, { directory: directory!, now: new Date() }));
  const { id } = (await orderOfConnection(pool, connection.id))!;
  const at = { now: Date.now(), signal: AbortSignal.timeout(60_000) };
  const result = await runStep({ ...lab.ordering, accounts }, id, place, at);
  await finishOrder(lab.ordering, id, at);
  await accounts.close();
  const account = await accountOf(pool, directory!);
  return { result, failure: await failureOf(pool, connection.id), url: account!.url };
}

const refused = (fix: string, message: RegExp) => ({
  result: 'ended',
  url: null,
  failure: {
    falls_back: false,
    finding: { code: 'cert_failed', fix, message: expect.stringMatching(message) as string },
  },
});

test('without an external account the finding names the settings, and no account is made', async () => {
  const fix = 'Ask the operator of this service to set ACME_EAB_KID and ACME_EAB_HMAC_KEY.';
  expect(await placed()).toMatchObject(refused(fix, /creates no account for this service \(externalAccountRequired\)/));
});

test.each([
  ['id', { keyId: 'customer-2', macKey: KEY }],
  ['key', { keyId: 'customer-1', macKey: randomBytes(32).toString('base64url') }],
])('with a wrong %s the finding names the settings, and no account is made', async (_what, externalAccount) => {
  const fix = 'Ask the operator of this service to check ACME_EAB_KID and ACME_EAB_HMAC_KEY.';
  expect(await placed(externalAccount)).toMatchObject(refused(fix, /creates no account/));
});

test('with the external account the worker’s account is made, once, and later orders need it no more', async () => {
  const first = await placed({ keyId: 'customer-1', macKey: KEY });
  expect(first).toMatchObject({
    result: 'done',
    failure: null,
    url: expect.stringContaining('/my-account/') as string,
  });
  expect(await placed()).toEqual(first);
});
