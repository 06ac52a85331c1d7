import { overtakenBy, ProviderError } from '../../../src/providers/provider-error.ts';
import { withAbsoluteTarget } from '../../../src/providers/toolkit/rdata.ts';
import type { RecordSet, SetWrite } from '../../../src/providers/toolkit/record-sets.ts';
import { writeSets } from '../../../src/providers/toolkit/write-sets.ts';

describe('a write that another writer overtook', () => {
  const refuse = (more = {}) => Promise.reject(new ProviderError('already_exists', 'it stands', more));

  test('did not happen', async () => {
    expect(await overtakenBy(['already_exists'], () => refuse())).toBe(false);
    expect(await overtakenBy(['already_exists'], () => Promise.resolve())).toBe(true);
  });

  test('is left to the caller to repeat if a part of it had happened: what that took away would be forgotten', async () => {
    const partly = overtakenBy(['already_exists'], () => refuse({ mayHaveChanged: true }));
    await expect(partly).rejects.toMatchObject({ code: 'transient', mayHaveChanged: true });
  });

  test('for another reason has failed', async () => {
    await expect(overtakenBy(['record_not_found'], () => refuse())).rejects.toMatchObject({ code: 'already_exists' });
  });
});

test('a set that left for another comes back with what its provider keeps beside it', async () => {
  type Set = RecordSet<string> & { note: string };
  const before: Set = { host: 'shop.example.test', type: 'A', ttl: 60, values: ['192.0.2.1'], note: 'billing' };
  const write = { host: before.host, ttl: 60, extra: null };
  const puts: SetWrite<string, Set>[] = [];
  const writing = writeSets<string, Set>(
    [
      { ...write, type: 'A', values: [], before },
      { ...write, type: 'CNAME', values: ['edge.example.net.'], before: undefined },
    ],
    {
      put: (set) => {
        puts.push(set);
        return set.type === 'CNAME' ? Promise.reject(new ProviderError('validation', 'no')) : Promise.resolve();
      },
      remove: () => Promise.resolve(),
      extraOf: ({ note }) => ({ note }),
    },
  );
  await expect(writing).rejects.toMatchObject({ code: 'validation', mayHaveChanged: true });
  expect(puts.at(-1)).toMatchObject({ type: 'A', values: ['192.0.2.1'], extra: { note: 'billing' } });
});

test.each([
  ['CNAME', 'www', 'www.example.test.'],
  ['CNAME', 'edge.example.net.', 'edge.example.net.'],
  ['MX', '10 @', '10 example.test.'],
  ['SRV', '1 2 5060 sip', '1 2 5060 sip.example.test.'],
  ['TXT', '"no name"', '"no name"'],
  ['A', '192.0.2.1', '192.0.2.1'],
])('%s %s on a server with relative names means %s', (type, rdata, meant) => {
  expect(withAbsoluteTarget(type, rdata, 'example.test')).toBe(meant);
});
