import fc from 'fast-check';
import type { State } from '../../src/domain/connection/connection.ts';
import { NO_BRANDING, UNKNOWN_NAME, type Admittance, type Standing } from '../../src/domain/edge/admission.ts';
import { AdmissionTable } from '../../src/edge/admission-table.ts';
import { LastKnown } from '../../src/edge/last-known.ts';
import { NameTable } from '../../src/edge/name-table.ts';
import {
  certificateOwner,
  EMPTY_WORLD,
  mayOrder,
  visit,
  type Visit,
  type World,
} from '../support/fixtures/wildcard-world.ts';
import { tries } from '../support/tries.ts';

const NAMES = ['*.a.com', 'x.a.com', 'y.a.com', 'a.com', '*.x.a.com', 'z.x.a.com', '*.com', 'www.b.com'];
const VISITED = [...NAMES.filter((name) => !name.startsWith('*')), 'new.a.com', 'new.x.a.com', 'q.z.x.a.com', 'com'];
const OWNERS = ['one', 'two', 'three'];
const STANDING: Partial<Record<State, Standing>> = {
  failed: 'none',
  verified: 'held',
  dns_writing: 'held',
  propagating: 'held',
  stalled: 'held',
  issuing_cert: 'pointing',
  live: 'serving',
  drifted: 'serving',
  archived: 'archived',
};

const event = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('state' as const),
      hostname: fc.constantFrom(...NAMES),
      owner: fc.constantFrom(...OWNERS),
      state: fc.constantFrom(...(Object.keys(STANDING) as State[])),
    }),
  },
  fc.record({ kind: fc.constant('block' as const), hostname: fc.constantFrom(...NAMES), is: fc.boolean() }),
  fc.record({ kind: fc.constant('suspend' as const), owner: fc.constantFrom(...OWNERS), is: fc.boolean() }),
);
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

const change = <T>(set: Set<T>, item: T, is: boolean): unknown => (is ? set.add(item) : set.delete(item));

/** Applies an event to the world, and to the table the changes that the database would send. */
function apply(world: World, table: AdmissionTable, one: Event, sequence: number): void {
  if (one.kind === 'suspend') {
    change(world.suspended, one.owner, one.is);
    const origin = { origin_url: `https://${one.owner}`, ...NO_BRANDING, display_name: one.owner };
    table.apply({ application_id: one.owner, sequence, ...origin, suspended: one.is, secrets: [] });
    return;
  }
  if (one.kind === 'state') world.connections.set(one.hostname, one);
  else change(world.blocked, one.hostname, one.is);
  const own = world.connections.get(one.hostname);
  const isBlocked = world.blocked.has(one.hostname);
  table.apply({
    hostname: one.hostname,
    sequence,
    standing: isBlocked ? 'blocked' : ((own && STANDING[own.state]) ?? 'none'),
    application_id: own?.owner ?? '',
    certificate_id: own === undefined ? null : `certificate of ${own.owner}`,
    route: null,
  });
}

function visitOf({ standing, origin_url }: Admittance): Visit {
  if (standing === 'serving') return { site: origin_url?.slice('https://'.length) ?? '' };
  if (standing === 'held' || standing === 'pointing') return 'setting up';
  if (standing === 'archived') return 'gone';
  return standing === 'blocked' ? 'blocked' : 'unknown';
}

test('every hostname is served by its own connection or its wildcard, as in a naive model, in all states', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const [world, table] = [EMPTY_WORLD(), new AdmissionTable()];
      for (const [index, owner] of OWNERS.entries())
        apply(world, table, { kind: 'suspend', owner, is: false }, index + 1);
      for (const [index, one] of events.entries()) {
        apply(world, table, one, index + 10);
        for (const hostname of VISITED) {
          const known = table.lookup(hostname);
          expect([hostname, visitOf(known)]).toEqual([hostname, visit(world, hostname)]);
          expect(['held', 'pointing', 'serving'].includes(known.own)).toBe(mayOrder(world, hostname));
          expect(table.standingOf(hostname)).toBe(known.own);
          const shown = certificateOwner(world, hostname);
          if (shown !== null) expect(table.certificateOf(hostname, true)).toBe(`certificate of ${shown}`);
        }
      }
    }),
    { numRuns: tries(5_000, 300) },
  );
});

test('a hostname that waits for its own certificate shows the wildcard’s only while no certificate can be ordered', () => {
  const [world, table] = [EMPTY_WORLD(), new AdmissionTable()];
  apply(world, table, { kind: 'state', hostname: '*.a.com', owner: 'one', state: 'live' }, 1);
  table.apply({
    hostname: 'x.a.com',
    sequence: 2,
    standing: 'pointing',
    application_id: 'two',
    certificate_id: null,
    route: null,
  });
  expect(table.certificateOf('x.a.com', true)).toBeNull();
  expect(table.certificateOf('x.a.com', false)).toBe('certificate of one');
});

test('without the control plane nothing is ordered, for a hostname below a wildcard in any state', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 20 }), async (events) => {
      const [world, table] = [EMPTY_WORLD(), new AdmissionTable()];
      for (const [index, one] of events.entries()) apply(world, table, one, index + 1);
      const journal = { trustedAt: 0, lookup: (hostname: string) => table.lookup(hostname) };
      const lastKnown = new LastKnown({ journal, staleForMs: 1_000, now: () => 1 });
      for (const hostname of VISITED) {
        const { own } = await lastKnown.lookup(hostname).catch(() => UNKNOWN_NAME);
        expect([hostname, own === 'none' || own === 'serving']).toEqual([hostname, true]);
        if (own === 'serving') expect(visit(world, hostname)).toEqual({ site: world.connections.get(hostname)?.owner });
      }
    }),
  );
});

test('a copy of the table that was written to changes and read again resolves wildcards too', () => {
  const [world, table, copy] = [EMPTY_WORLD(), new AdmissionTable(), new AdmissionTable()];
  apply(world, table, { kind: 'suspend', owner: 'one', is: false }, 1);
  apply(world, table, { kind: 'state', hostname: '*.a.com', owner: 'one', state: 'live' }, 2);
  for (const one of table.changes()) copy.apply(one);
  expect(copy.lookup('shop.a.com')).toEqual({
    standing: 'serving',
    own: 'none',
    route: null,
    secrets: [],
    origin_url: 'https://one',
    application_id: 'one',
    ...NO_BRANDING,
    display_name: 'one',
  });
});

test('the wildcard of a name is found by its first label only, after any other question', () => {
  const name = fc.stringMatching(/^[a-z0-9-]{1,6}(\.[a-z0-9-]{1,6}){0,3}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.boolean())), fc.array(name, { minLength: 1 }), (added, asked) => {
      const table = new NameTable();
      const all = added.map(([one, isWild]) => (isWild ? `*.${one}` : one));
      for (const one of all) table.add(one);
      for (const one of asked) {
        const wildcard = one.includes('.') ? `*.${one.split('.').slice(1).join('.')}` : '';
        expect(table.findWildcard(one)).toBe(all.includes(wildcard) ? table.find(wildcard) : -1);
      }
      for (const odd of ['', '.', '.a', 'a'.repeat(300), `${'a'.repeat(250)}.b.com`])
        expect(table.findWildcard(odd)).toBe(-1);
    }),
  );
});
