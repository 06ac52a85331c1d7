import { a, cname, openSandboxLab, txt, type SandboxLab } from '../support/fixtures/sandbox-lab.ts';

const EDGE = cname('edge.example.net');
let customers: SandboxLab;
beforeAll(async () => {
  customers = await openSandboxLab();
});
afterAll(() => customers.close());

describe('undo restores the customer’s newest value', () => {
  test('when a first write was refused and the customer changed the value before the second', async () => {
    const customer = await customers.with(a('192.0.2.1'));
    await customer.writeRefused(a('192.0.2.9'));
    expect(await customer.published()).toEqual(['A 192.0.2.1']);
    await customer.set(a('192.0.2.5'));
    await customer.write(a('192.0.2.9'));
    await customer.undo();
    expect(await customer.published()).toEqual(['A 192.0.2.5']);
  });

  test('when a repair overwrote a value with which the customer had replaced ours', async () => {
    const customer = await customers.with(a('192.0.2.1'));
    await customer.write(EDGE);
    await customer.set(a('192.0.2.5'));
    await customer.write(EDGE);
    expect(await customer.published()).toEqual(['CNAME edge.example.net']);
    await customer.undo();
    expect(await customer.published()).toEqual(['A 192.0.2.5']);
  });

  test('when the records displaced last contradict the records displaced first', async () => {
    const customer = await customers.with(cname('first.example.net'));
    await customer.write(a('192.0.2.9'));
    await customer.set(a('192.0.2.5'));
    await customer.write(a('192.0.2.9'));
    expect(await customer.undo()).toMatchObject({ outcome: 'removed' });
    expect(await customer.published()).toEqual(['A 192.0.2.5']);
  });
});

describe('a snapshot outlives the values that displaced it', () => {
  test('when the customer deleted ours, the target changed and the repair wrote another value', async () => {
    const customer = await customers.with(a('192.0.2.1'));
    await customer.write(EDGE);
    await customer.set();
    await customer.write(cname('edge-2.example.net'));
    await customer.undo();
    expect(await customer.published()).toEqual(['A 192.0.2.1']);
  });

  test('when the customer deleted ours: the displaced records return to the empty name', async () => {
    const customer = await customers.with(a('192.0.2.1'));
    await customer.write(EDGE);
    await customer.set();
    expect(await customer.undo()).toMatchObject({ outcome: 'removed' });
    expect(await customer.published()).toEqual(['A 192.0.2.1']);
  });

  test('but undo does not overwrite what the customer set instead', async () => {
    const customer = await customers.with(a('192.0.2.1'));
    await customer.write(EDGE);
    await customer.set(a('192.0.2.5'));
    await customer.undo();
    expect(await customer.published()).toEqual(['A 192.0.2.5']);
  });
});

test('a refused write leaves no trace: undo keeps the same value if the customer adds it manually later', async () => {
  const customer = await customers.with();
  await customer.writeRefused(a('192.0.2.9'));
  await customer.set(a('192.0.2.9'));
  await customer.undo();
  expect(await customer.published()).toEqual(['A 192.0.2.9']);
});

test('a value that the customer deleted and added again after a refused write belongs to the customer', async () => {
  const customer = await customers.with();
  await customer.write(a('192.0.2.9'));
  await customer.set();
  await customer.writeRefused(a('192.0.2.9'));
  await customer.set(a('192.0.2.9'));
  await customer.undo();
  expect(await customer.published()).toEqual(['A 192.0.2.9']);
});

describe('records for mail and for the connection in one zone', () => {
  test('leave each other alone when planned again and when undone, in either order', async () => {
    for (const [first, second] of [['connection', 'email'] as const, ['email', 'connection'] as const]) {
      const customer = await customers.with();
      await customer.write(a('192.0.2.9'), txt('site'));
      await customer.writeMail(txt('mail'));
      await customer.write(a('192.0.2.9'));
      await customer.writeMail(txt('mail'), txt('more mail'));
      expect(await customer.published()).toEqual(['A 192.0.2.9', 'TXT mail', 'TXT more mail']);
      expect(await customer.undo(first)).toMatchObject({ outcome: 'removed', values: first === 'email' ? 2 : 1 });
      expect(await customer.published()).toEqual(first === 'email' ? ['A 192.0.2.9'] : ['TXT mail', 'TXT more mail']);
      await customer.undo(second);
      expect(await customer.published()).toEqual([]);
    }
  });

  test('a value that both want exists until both are undone', async () => {
    const customer = await customers.with();
    await customer.write(txt('both'));
    await customer.writeMail(txt('both'));
    await customer.undo('connection');
    expect(await customer.published()).toEqual(['TXT both']);
    await customer.undo('email');
    expect(await customer.published()).toEqual([]);
  });
});
