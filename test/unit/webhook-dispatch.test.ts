import fc from 'fast-check';
import { dispatch } from '../../src/domain/webhook/dispatch.ts';

const delivery = fc.record({
  id: fc.uuid(),
  endpoint_id: fc.constantFrom('a', 'b', 'c'),
  connection_id: fc.constantFrom('x', 'y', null),
});

test('every delivery is in exactly one run, no run has more than 50, and each connection’s events stay in order', () => {
  const deliveries = fc.uniqueArray(delivery, { selector: ({ id }) => id, maxLength: 200 });
  fc.assert(
    fc.property(deliveries, (given) => {
      const runs = dispatch(given);
      expect(runs.flat(2).toSorted()).toEqual(given.map(({ id }) => id).toSorted());
      for (const run of runs) expect(run.flat().length).toBeLessThanOrEqual(50);
      const order = new Map(given.map(({ id }, index) => [id, index]));
      for (const chain of runs.flat()) {
        const places = chain.map((id) => order.get(id)!);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
      }
    }),
  );
});
