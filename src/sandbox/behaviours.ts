import { challengeName } from '../domain/connection/challenge.ts';
import { DRIFTING_PACE, SANDBOX_PACE, type Pace } from '../domain/connection/schedule.ts';
import { MINUTE } from '../domain/duration.ts';
import { TTL_DEFAULT, type DnsRecord } from '../domain/record.ts';

/** The customer who owns a hostname in the sandbox. */
export interface SandboxCustomer {
  hostname: string;
  /** Time at which the connection became live, in milliseconds since the epoch; null before. */
  liveAt: number | null;
}

interface Publication {
  record: DnsRecord;
  /** Milliseconds since the epoch. */
  visibleAt: number;
}

/** Behaviour of the customer, selected by the hostname, so that every course of a connection can be tried. */
export interface Behaviour {
  /** Returns the records that the customer publishes when a check wants these. */
  publishes(customer: SandboxCustomer, wanted: readonly DnsRecord[], now: number): Publication[];
  /** Returns the time before which published records no longer exist. */
  expiredBefore(customer: SandboxCustomer, now: number): Date;
  pace: Pace;
  /** Validity of the certificate, if it ends early and is not renewed. */
  certificateLastsMs?: number;
}

const SLOW_MS = MINUTE;
const DRIFT_AFTER_MS = MINUTE;
const FOREIGN_TARGET = 'somewhere-else.test';
const FORBIDDING_CAA = '0 issue "other-authority.test"';
const NEVER_EXPIRED = new Date(0);

const automatic: Behaviour = {
  publishes: (_customer, wanted, now) => wanted.map((record) => ({ record, visibleAt: now })),
  expiredBefore: () => NEVER_EXPIRED,
  pace: SANDBOX_PACE,
};

/** Publishes the challenge only, so ownership is proved and the records are missing. */
const onlyChallenge: Behaviour['publishes'] = ({ hostname }, wanted, now) =>
  wanted.filter(({ host }) => host === challengeName(hostname)).map((record) => ({ record, visibleAt: now }));

const driftsAt = ({ liveAt }: SandboxCustomer): number => (liveAt === null ? Infinity : liveAt + DRIFT_AFTER_MS);

const BEHAVIOURS: Record<string, Behaviour> = {
  auto: automatic,
  slow: {
    ...automatic,
    publishes: (_customer, wanted, now) => wanted.map((record) => ({ record, visibleAt: now + SLOW_MS })),
  },
  stall: { ...automatic, publishes: onlyChallenge, pace: { ...SANDBOX_PACE, stallAfter: MINUTE } },
  fail: { ...automatic, publishes: onlyChallenge, pace: { ...SANDBOX_PACE, stallAfter: MINUTE, failAfter: MINUTE } },
  expire: { ...automatic, pace: DRIFTING_PACE, certificateLastsMs: MINUTE },
  conflict: {
    ...automatic,
    publishes: (customer, wanted, now) => [
      ...onlyChallenge(customer, wanted, now),
      {
        record: { host: customer.hostname, type: 'CNAME', value: FOREIGN_TARGET, ttl: TTL_DEFAULT, priority: null },
        visibleAt: now,
      },
    ],
  },
  caa: {
    ...automatic,
    publishes: (customer, wanted, now) => [
      ...automatic.publishes(customer, wanted, now),
      {
        record: { host: 'caa.test', type: 'CAA', value: FORBIDDING_CAA, ttl: TTL_DEFAULT, priority: null },
        visibleAt: now,
      },
    ],
  },
  drift: {
    publishes: (customer, wanted, now) => (now < driftsAt(customer) ? automatic.publishes(customer, wanted, now) : []),
    expiredBefore: (customer, now) => (now < driftsAt(customer) ? NEVER_EXPIRED : new Date(driftsAt(customer))),
    pace: DRIFTING_PACE,
  },
};

/** Does nothing: the tenant sets the records through PUT /sandbox/records, as a customer would at a provider. */
const manual: Behaviour = { ...automatic, publishes: () => [] };

/** Returns the behaviour of a hostname under .test, by its second label from the right: `shop.slow.test` is slow. */
export function behaviourOf(hostname: string): Behaviour {
  const labels = hostname.split('.');
  const kind = labels.length > 2 ? (labels.at(-2) ?? '') : '';
  return Object.hasOwn(BEHAVIOURS, kind) ? (BEHAVIOURS[kind] ?? manual) : manual;
}
