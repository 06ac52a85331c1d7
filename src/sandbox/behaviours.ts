import type { Subject } from '../domain/check.ts';
import { TTL_DEFAULT, type DnsRecord } from '../domain/record.ts';

interface Publication {
  record: DnsRecord;
  /** Milliseconds since the epoch. */
  visibleAt: number;
}

/** How the customer behaves whose names end in a certain way, so that every turn of a connection's life can be tried. */
export interface Behaviour {
  /** What is published when a look asks for it. */
  publishes(subject: Subject, wanted: readonly DnsRecord[], now: number): Publication[];
  /** Records published before this are gone. */
  forgottenBefore(subject: Subject, now: number): Date;
}

const SLOW_MS = 60_000;
const DRIFT_AFTER_MS = 60_000;
const FOREIGN_TARGET = 'somewhere-else.test';
const FORBIDDING_CAA = '0 issue "other-authority.test"';
const NEVER_FORGOTTEN = new Date(0);

const byItself: Behaviour = {
  publishes: (_subject, wanted, now) => wanted.map((record) => ({ record, visibleAt: now })),
  forgottenBefore: () => NEVER_FORGOTTEN,
};

/** The name is proved; its records are another matter. */
const onlyChallenge = (subject: Subject, wanted: readonly DnsRecord[], now: number): Publication[] =>
  wanted.filter(({ host }) => host === subject.challenge.name).map((record) => ({ record, visibleAt: now }));

const driftsAt = ({ liveAt }: Subject): number => (liveAt === null ? Infinity : liveAt + DRIFT_AFTER_MS);

const BEHAVIOURS: Record<string, Behaviour> = {
  auto: byItself,
  slow: {
    ...byItself,
    publishes: (_subject, wanted, now) => wanted.map((record) => ({ record, visibleAt: now + SLOW_MS })),
  },
  stall: { ...byItself, publishes: onlyChallenge },
  conflict: {
    ...byItself,
    publishes: (subject, wanted, now) => [
      ...onlyChallenge(subject, wanted, now),
      {
        record: { host: subject.hostname, type: 'CNAME', value: FOREIGN_TARGET, ttl: TTL_DEFAULT, priority: null },
        visibleAt: now,
      },
    ],
  },
  caa: {
    ...byItself,
    publishes: (subject, wanted, now) => [
      ...byItself.publishes(subject, wanted, now),
      {
        record: { host: 'caa.test', type: 'CAA', value: FORBIDDING_CAA, ttl: TTL_DEFAULT, priority: null },
        visibleAt: now,
      },
    ],
  },
  drift: {
    publishes: (subject, wanted, now) => (now < driftsAt(subject) ? byItself.publishes(subject, wanted, now) : []),
    forgottenBefore: (subject, now) => (now < driftsAt(subject) ? NEVER_FORGOTTEN : new Date(driftsAt(subject))),
  },
};

/** Does nothing: somebody has to set the records, as a customer would. */
const byHand: Behaviour = { publishes: () => [], forgottenBefore: () => NEVER_FORGOTTEN };

/** The behaviour of a name under .test, by its second label from the right: `shop.slow.test` is slow. */
export function behaviourOf(hostname: string): Behaviour {
  const labels = hostname.split('.');
  const kind = labels.length > 2 ? (labels.at(-2) ?? '') : '';
  return Object.hasOwn(BEHAVIOURS, kind) ? (BEHAVIOURS[kind] ?? byHand) : byHand;
}
