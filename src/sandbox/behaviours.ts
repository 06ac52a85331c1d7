import { challengeName } from '../domain/connection/challenge.ts';
import { DRIFTING_PACE, SANDBOX_PACE, type Pace } from '../domain/connection/schedule.ts';
import { TTL_DEFAULT, type DnsRecord } from '../domain/record.ts';

/** The customer of a name in the sandbox. */
export interface SandboxCustomer {
  hostname: string;
  /** When the connection became live, if it did; milliseconds since the epoch. */
  liveAt: number | null;
}

interface Publication {
  record: DnsRecord;
  /** Milliseconds since the epoch. */
  visibleAt: number;
}

/** How the customer behaves whose names end in a certain way, so that every turn of a connection's life can be tried. */
export interface Behaviour {
  /** What the customer publishes when a check wants these records. */
  publishes(customer: SandboxCustomer, wanted: readonly DnsRecord[], now: number): Publication[];
  /** Records published before this are gone. */
  forgottenBefore(customer: SandboxCustomer, now: number): Date;
  /** How closely the name is watched once it serves. */
  pace: Pace;
}

const SLOW_MS = 60_000;
const DRIFT_AFTER_MS = 60_000;
const FOREIGN_TARGET = 'somewhere-else.test';
const FORBIDDING_CAA = '0 issue "other-authority.test"';
const NEVER_FORGOTTEN = new Date(0);

const byItself: Behaviour = {
  publishes: (_customer, wanted, now) => wanted.map((record) => ({ record, visibleAt: now })),
  forgottenBefore: () => NEVER_FORGOTTEN,
  pace: SANDBOX_PACE,
};

/** The name is proved; its records are another matter. */
const onlyChallenge: Behaviour['publishes'] = ({ hostname }, wanted, now) =>
  wanted.filter(({ host }) => host === challengeName(hostname)).map((record) => ({ record, visibleAt: now }));

const driftsAt = ({ liveAt }: SandboxCustomer): number => (liveAt === null ? Infinity : liveAt + DRIFT_AFTER_MS);

const BEHAVIOURS: Record<string, Behaviour> = {
  auto: byItself,
  slow: {
    ...byItself,
    publishes: (_customer, wanted, now) => wanted.map((record) => ({ record, visibleAt: now + SLOW_MS })),
  },
  stall: { ...byItself, publishes: onlyChallenge },
  conflict: {
    ...byItself,
    publishes: (customer, wanted, now) => [
      ...onlyChallenge(customer, wanted, now),
      {
        record: { host: customer.hostname, type: 'CNAME', value: FOREIGN_TARGET, ttl: TTL_DEFAULT, priority: null },
        visibleAt: now,
      },
    ],
  },
  caa: {
    ...byItself,
    publishes: (customer, wanted, now) => [
      ...byItself.publishes(customer, wanted, now),
      {
        record: { host: 'caa.test', type: 'CAA', value: FORBIDDING_CAA, ttl: TTL_DEFAULT, priority: null },
        visibleAt: now,
      },
    ],
  },
  drift: {
    publishes: (customer, wanted, now) => (now < driftsAt(customer) ? byItself.publishes(customer, wanted, now) : []),
    forgottenBefore: (customer, now) => (now < driftsAt(customer) ? NEVER_FORGOTTEN : new Date(driftsAt(customer))),
    pace: DRIFTING_PACE,
  },
};

/** Does nothing: the tenant sets the records through PUT /sandbox/records, as a customer would at a provider. */
const byHand: Behaviour = { ...byItself, publishes: () => [] };

/** The behaviour of a name under .test, by its second label from the right: `shop.slow.test` is slow. */
export function behaviourOf(hostname: string): Behaviour {
  const labels = hostname.split('.');
  const kind = labels.length > 2 ? (labels.at(-2) ?? '') : '';
  return Object.hasOwn(BEHAVIOURS, kind) ? (BEHAVIOURS[kind] ?? byHand) : byHand;
}
