import { changeOf, plan } from '../../../src/domain/zone/plan.ts';
import { planUndo } from '../../../src/domain/zone/undo.ts';
import type { ZoneLab } from '../lab.ts';
import { foreign, given, OUR_TTL, record, THEIR_TTL } from './given.ts';

export function foreignSuite(lab: () => ZoneLab): void {
  test('our value next to foreign ones takes their TTL, and its removal leaves them unchanged to the byte', async () => {
    const { zone, account, handle } = await given(lab(), foreign(lab()));
    const before = await zone.dump();
    const ours = record(`_token.${zone.name}`, 'TXT', 'ours', { ttl: 14_400 });

    const { present } = await account.apply(handle, { add: [ours], remove: [] });
    expect(present).toMatchObject([{ value: 'ours', ttl: THEIR_TTL }]);
    const during = await zone.dump();
    expect(during).toHaveLength(before.length + 1);
    expect(during).toEqual(expect.arrayContaining(before));

    await account.apply(handle, { add: [], remove: [ours] });
    expect(await zone.dump()).toEqual(before);
  });

  test('a plan that replaces an address is undone to the byte', async () => {
    const { zone, account, handle } = await given(lab(), [
      { name: 'shop', type: 'A', ttl: THEIR_TTL, rdata: '192.0.2.10' },
      { name: 'shop', type: 'A', ttl: THEIR_TTL, rdata: '192.0.2.11' },
      { name: 'shop', type: 'AAAA', ttl: 14_400, rdata: '2001:db8::10' },
      ...foreign(lab()),
    ]);
    const before = await zone.dump();
    const desired = [
      record(`shop.${zone.name}`, 'CNAME', 'edge.example.net'),
      record(`_token.${zone.name}`, 'TXT', 'ours'),
    ];
    const hosts = desired.map(({ host }) => host);

    const current = await account.records(handle, hosts);
    const made = plan({ current, desired, owned: [], policy: 'replace' });
    await account.apply(handle, changeOf(made));
    expect(await account.records(handle, hosts)).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: 'CNAME', value: 'edge.example.net', ttl: OUR_TTL })]),
    );

    await account.apply(handle, planUndo(await account.records(handle, hosts), made.creates).change);
    expect(await zone.dump()).toEqual(before);
  });

  test('another TTL for a set leaves everything else unchanged, and setting it back restores the zone to the byte', async () => {
    const { zone, account, handle } = await given(lab(), [
      { name: 'shop', type: 'A', ttl: THEIR_TTL, rdata: '192.0.2.10' },
      { name: 'shop', type: 'A', ttl: THEIR_TTL, rdata: '192.0.2.11' },
      ...foreign(lab()),
    ]);
    const before = await zone.dump();
    const host = `shop.${zone.name}`;
    const setTtl = (ttl: number) => account.apply(handle, { add: [], remove: [], retime: [{ host, type: 'A', ttl }] });
    if (!lab().descriptor.limits.atomic) {
      await expect(setTtl(14_400)).rejects.toMatchObject({ code: 'validation' });
    } else {
      await setTtl(14_400);
      const retimed = await account.records(handle, [host]);
      expect(retimed.map(({ value, ttl }) => `${ttl} ${value}`).sort()).toEqual([
        '14400 192.0.2.10',
        '14400 192.0.2.11',
      ]);
      expect(await setTtl(14_400)).toMatchObject({ changed: false });
      await setTtl(THEIR_TTL);
    }
    expect(await zone.dump()).toEqual(before);
  });
}
