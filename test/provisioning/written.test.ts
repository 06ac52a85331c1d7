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

test('what was displaced comes back although the value that displaced it went first', async () => {
  const customer = await customers.with(a('192.0.2.1'));
  await customer.write(a('192.0.2.2'), a('192.0.2.1'));
  await customer.write(a('192.0.2.2'), aaaa);
  expect(await customer.standing()).toEqual(['A 192.0.2.2', 'AAAA 2001:db8::1']);
  await customer.write(a('192.0.2.2'));
  expect(await customer.standing()).toEqual(['A 192.0.2.2']);
  expect(await customer.undo()).toMatchObject({ outcome: 'removed' });
  expect(await customer.standing()).toEqual(['A 192.0.2.1']);
});

test('a value that goes takes no other of its name out of the ledger', async () => {
  const customer = await customers.with();
  await customer.write(mx('mail.example.net', 10), mx('backup.example.net', 20));
  await customer.write(mx('mail.example.net', 10));
  expect(await customer.undo()).toEqual({ outcome: 'removed', values: 1 });
  expect(await customer.standing()).toEqual([]);
});

test('written twice is written once, and undo leaves the rest of the name alone', async () => {
  const customer = await customers.with({ type: 'TXT', value: 'theirs', priority: null });
  for (let i = 0; i < 2; i++) await customer.write(a('192.0.2.2'), { type: 'TXT', value: 'ours', priority: null });
  expect(await customer.standing()).toEqual(['A 192.0.2.2', 'TXT ours', 'TXT theirs']);
  expect(await customer.undo()).toEqual({ outcome: 'removed', values: 2 });
  expect(await customer.standing()).toEqual(['TXT theirs']);
});

test('a credential that took the place of the one that wrote removes what that one wrote', async () => {
  const customer = await customers.with();
  await customer.write(a('192.0.2.2'));
  const { deleteFirst } = await customer.rotate();
  await deleteFirst();
  expect(await customer.undo()).toEqual({ outcome: 'removed', values: 1 });
  expect(await customer.standing()).toEqual([]);
});

test('a place that cannot be cleaned any more does not keep us from cleaning the others', async () => {
  const customer = await customers.with();
  const ours = { type: 'TXT', value: 'ours', priority: null } as const;
  await customer.write(a('192.0.2.2'));
  const { deleteFirst } = await customer.rotate(customer.hostname);
  await customer.write(a('192.0.2.2'), ours);
  await deleteFirst();
  expect(await customer.undo()).toMatchObject({ outcome: 'impossible' });
  expect(await customer.standing()).toEqual(['A 192.0.2.2']);
});

describe('what an archived connection wrote, and the one that took its place wants too', () => {
  const cname = cnameTo('edge.example.net');

  test('outlives a late clean-up, and goes when the new one of the same application goes', async () => {
    const customer = await customers.with(a('192.0.2.1'));
    await customer.write(cname);
    await customer.archive();
    const successor = await newConnection(customers.pool, customers.tenant, customer.hostname, { target: cname.value });
    expect(await customer.undo()).toEqual({ outcome: 'removed', values: 0 });
    expect(await customer.standing()).toEqual(['CNAME edge.example.net']);
    await setState(customers.pool, successor.id, 'archived');
    expect(await removeWritten(customers.providerAccess, successor.id, { now: new Date(), signal })).toEqual({
      outcome: 'removed',
      values: 1,
    });
    expect(await customer.standing()).toEqual(['A 192.0.2.1']);
  });

  test('is left to another tenant that has proved the name, and to nobody who has not', async () => {
    const stranger = await createTenant(customers.pool, 'Stranger');
    for (const state of ['pending_ownership', 'live'] as const) {
      const customer = await customers.with();
      await customer.write(cname);
      await customer.archive();
      const other = await newConnection(customers.pool, stranger, customer.hostname, { target: cname.value });
      await setState(customers.pool, other.id, state);
      await customer.undo();
      expect(await customer.standing()).toEqual(state === 'live' ? ['CNAME edge.example.net'] : []);
    }
  });
});
