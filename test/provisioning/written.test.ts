import { createTenant } from '../../src/db/tenant/tenants.ts';
import { removeWritten } from '../../src/provisioning/remove.ts';
import { a, cname as cnameTo, openSandboxLab, setState, type SandboxLab } from '../support/fixtures/sandbox-lab.ts';
import { newConnection } from '../support/fixtures/new-connection.ts';

const { signal } = new AbortController();
let customers: SandboxLab;
beforeAll(async () => {
  customers = await openSandboxLab();
});
afterAll(() => customers.close());

const aaaa = { type: 'AAAA', value: '2001:db8::1', priority: null } as const;
const mx = (value: string, priority: number) => ({ type: 'MX', value, priority }) as const;

test('displaced records are restored even if the value that displaced them was removed earlier', async () => {
  const customer = await customers.with(a('192.0.2.1'));
  await customer.write(a('192.0.2.2'), a('192.0.2.1'));
  await customer.write(a('192.0.2.2'), aaaa);
  expect(await customer.published()).toEqual(['A 192.0.2.2', 'AAAA 2001:db8::1']);
  await customer.write(a('192.0.2.2'));
  expect(await customer.published()).toEqual(['A 192.0.2.2']);
  expect(await customer.undo()).toMatchObject({ outcome: 'removed' });
  expect(await customer.published()).toEqual(['A 192.0.2.1']);
});

test('removing a value removes no other value of its name from the ledger', async () => {
  const customer = await customers.with();
  await customer.write(mx('mail.example.net', 10), mx('backup.example.net', 20));
  await customer.write(mx('mail.example.net', 10));
  expect(await customer.undo()).toEqual({ outcome: 'removed', values: 1 });
  expect(await customer.published()).toEqual([]);
});

test('writing twice equals writing once, and undo leaves the other records of the name alone', async () => {
  const customer = await customers.with({ type: 'TXT', value: 'theirs', priority: null });
  for (let i = 0; i < 2; i++) await customer.write(a('192.0.2.2'), { type: 'TXT', value: 'ours', priority: null });
  expect(await customer.published()).toEqual(['A 192.0.2.2', 'TXT ours', 'TXT theirs']);
  expect(await customer.undo()).toEqual({ outcome: 'removed', values: 2 });
  expect(await customer.published()).toEqual(['TXT theirs']);
});

test('a replacement credential removes what the earlier credential wrote', async () => {
  const customer = await customers.with();
  await customer.write(a('192.0.2.2'));
  const { deleteFirst } = await customer.rotate();
  await deleteFirst();
  expect(await customer.undo()).toEqual({ outcome: 'removed', values: 1 });
  expect(await customer.published()).toEqual([]);
});

test('a zone that can no longer be cleaned does not prevent the clean-up of others', async () => {
  const customer = await customers.with();
  const ours = { type: 'TXT', value: 'ours', priority: null } as const;
  await customer.write(a('192.0.2.2'));
  const { deleteFirst } = await customer.rotate(customer.hostname);
  await customer.write(a('192.0.2.2'), ours);
  await deleteFirst();
  expect(await customer.undo()).toMatchObject({ outcome: 'impossible' });
  expect(await customer.published()).toEqual(['A 192.0.2.2']);
});

describe('a record of an archived connection that its successor wants too', () => {
  const cname = cnameTo('edge.example.net');

  test('survives a late clean-up, and is removed with the successor of the same application', async () => {
    const customer = await customers.with(a('192.0.2.1'));
    await customer.write(cname);
    await customer.archive();
    const successor = await newConnection(customers.pool, customers.tenant, customer.hostname, { target: cname.value });
    expect(await customer.undo()).toEqual({ outcome: 'removed', values: 0 });
    expect(await customer.published()).toEqual(['CNAME edge.example.net']);
    await setState(customers.pool, successor.id, 'archived');
    expect(await removeWritten(customers.providerAccess, successor.id, { now: new Date(), signal })).toEqual({
      outcome: 'removed',
      values: 1,
    });
    expect(await customer.published()).toEqual(['A 192.0.2.1']);
  });

  test('stays if the other tenant has verified the hostname, and is removed otherwise', async () => {
    const stranger = await createTenant(customers.pool, 'Stranger');
    for (const state of ['pending_ownership', 'live'] as const) {
      const customer = await customers.with();
      await customer.write(cname);
      await customer.archive();
      const other = await newConnection(customers.pool, stranger, customer.hostname, { target: cname.value });
      await setState(customers.pool, other.id, state);
      await customer.undo();
      expect(await customer.published()).toEqual(state === 'live' ? ['CNAME edge.example.net'] : []);
    }
  });
});
