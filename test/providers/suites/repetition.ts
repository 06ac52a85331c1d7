import type { ZoneLab } from '../lab.ts';
import { foreign, given, record } from './given.ts';

export function repetitionSuite(lab: () => ZoneLab): void {
  test('a repeated change changes nothing, and reports that', async () => {
    const { zone, account, handle } = await given(lab(), foreign(lab()));
    const change = {
      add: [record(`_token.${zone.name}`, 'TXT', 'ours'), record(`www.${zone.name}`, 'A', '192.0.2.1')],
      remove: [record(`_token.${zone.name}`, 'TXT', 'never stood')],
    };
    expect(await account.apply(handle, change)).toMatchObject({ changed: true });
    const after = await zone.dump();

    expect(await zone.open().apply(handle, change)).toMatchObject({
      changed: false,
      present: [{ value: 'ours' }, {}],
    });
    expect(await zone.dump()).toEqual(after);
  });

  test('a change that is half done is completed', async () => {
    const { zone, account, handle } = await given(lab());
    const first = record(`_token.${zone.name}`, 'TXT', 'first');
    const second = record(`_token.${zone.name}`, 'TXT', 'second');
    await account.apply(handle, { add: [first], remove: [] });

    await account.apply(handle, { add: [first, second], remove: [] });

    const read = await account.records(handle, [first.host]);
    expect(read.map(({ value }) => value).sort()).toEqual(['first', 'second']);
  });

  test('concurrent writers of one set lose nothing', async () => {
    const { zone, handle } = await given(lab(), foreign(lab()));
    const before = await zone.dump();
    const values = ['one', 'two', 'three', 'four', 'five'];

    await Promise.all(
      values.map((value) =>
        zone.open().apply(handle, { add: [record(`_token.${zone.name}`, 'TXT', value)], remove: [] }),
      ),
    );

    const after = await zone.dump();
    expect(after).toEqual(expect.arrayContaining(before));
    expect(after).toHaveLength(before.length + values.length);
  });

  test('a CNAME and a TXT that are set concurrently at one name do not both exist', async () => {
    const { zone, account, handle } = await given(lab());
    const rivals = [
      record(`shop.${zone.name}`, 'CNAME', 'edge.example.net'),
      record(`shop.${zone.name}`, 'TXT', 'ours', { ttl: 600 }),
    ];

    const outcomes = await Promise.allSettled(
      rivals.map((rival) => zone.open().apply(handle, { add: [rival], remove: [] })),
    );

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } });
    expect(await account.records(handle, [`shop.${zone.name}`])).toHaveLength(1);
  });

  test('concurrent writers of one value write it once', async () => {
    const { zone, account, handle } = await given(lab());
    const wanted = record(`_token.${zone.name}`, 'TXT', 'same');

    await Promise.all([1, 2, 3].map(() => zone.open().apply(handle, { add: [wanted], remove: [] })));

    expect(await account.records(handle, [wanted.host])).toHaveLength(1);
  });
}
