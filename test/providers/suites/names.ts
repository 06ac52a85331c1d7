import type { ZoneLab } from '../lab.ts';
import { given, record, THEIR_TTL } from './given.ts';

export function nameSuite(lab: () => ZoneLab): void {
  test.each(['', 'www', '_dmarc', 'a.b.c', '*', '*.wild', 'xn--bcher-kva'])(
    'a record at "%s" stands there',
    async (name) => {
      const { zone, account, handle } = await given(lab());
      const wanted = record(name === '' ? zone.name : `${name}.${zone.name}`, 'TXT', 'here');

      await account.apply(handle, { add: [wanted], remove: [] });

      const read = await account.records(handle, [wanted.host]);
      expect(read.filter(({ type }) => type === 'TXT')).toMatchObject([wanted]);
    },
  );

  test('records at other names are not returned, no matter how similar', async () => {
    const { zone, account, handle } = await given(lab(), [
      { name: 'www', type: 'A', ttl: THEIR_TTL, rdata: '192.0.2.1' },
      { name: 'a.www', type: 'A', ttl: THEIR_TTL, rdata: '192.0.2.2' },
      { name: 'xwww', type: 'A', ttl: THEIR_TTL, rdata: '192.0.2.3' },
    ]);
    expect(await account.records(handle, [`www.${zone.name}`])).toMatchObject([{ value: '192.0.2.1' }]);
  });

  test('a wildcard does not answer for names without records', async () => {
    const { zone, account, handle } = await given(lab(), [{ name: '*', type: 'TXT', ttl: THEIR_TTL, rdata: '"wild"' }]);
    expect(await account.records(handle, [`shop.${zone.name}`])).toEqual([]);
    expect(await account.records(handle, [`*.${zone.name}`])).toMatchObject([{ value: 'wild' }]);
  });

  test('the zone of a host is found from any depth, and a foreign host has none', async () => {
    const { zone, account } = await given(lab());
    expect(await account.findZone(`deep.down.${zone.name}`)).toMatchObject({ name: zone.name });
    expect(await account.findZone('shop.nobody-has-this.test')).toBeUndefined();
  });

  test('verify returns the zones of the credential', async () => {
    const { zone, account } = await given(lab());
    expect((await account.verify()).map(({ name }) => name)).toContain(zone.name);
  });
}
