import { driftData } from '../../src/domain/webhook/events.ts';

test('domain.drift names each record that is missing, and the records seen instead', () => {
  const record = {
    host: 'shop.example.com',
    type: 'CNAME',
    value: 'edge.example.net',
    ttl: 300,
    priority: null,
  } as const;
  const txt = { ...record, type: 'TXT', value: 'still there' } as const;
  expect(
    driftData([
      { ...record, propagated: false, observed: [], observed_value: 'elsewhere.example' },
      { ...txt, propagated: true, observed: [], observed_value: 'still there' },
    ]),
  ).toEqual({ records: [{ record, observed_value: 'elsewhere.example' }] });
});
