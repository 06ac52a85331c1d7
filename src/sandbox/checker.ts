import { publish } from '../db/zone/sandbox-records.ts';
import type { Pool } from '../db/pool.ts';
import { slugsOf } from '../domain/observation/domain-observation.ts';
import type { Checker, Subject } from '../domain/observation/check.ts';
import { createChecker } from '../domain/observation/checker.ts';
import type { DnsRecord } from '../domain/record.ts';
import { behaviourOf } from './behaviours.ts';
import { sandboxObserver, type SandboxParts } from './observer.ts';

/**
 * Creates the checker for the sandbox. Before each check a simulated customer publishes records; the hostname selects
 * how (src/sandbox/behaviours.ts).
 */
export const sandboxChecker = (parts: SandboxParts & { db: Pool }): Checker =>
  createChecker({
    async observerOf(subject, wanted, now) {
      await act(parts.db, subject, wanted, now);
      return sandboxObserver(parts, subject, now);
    },
    providersOf: ({ nameservers, soa }) => slugsOf(parts.detection.providerOf(nameservers, soa)),
    // Intervals between checks.
    edge: parts.edge,
    paceOf: ({ hostname, speed = 1 }) => ({ ...behaviourOf(hostname).pace, speed }),
  });

/** Publishes the records that the simulated customer adds at this time. */
async function act(db: Pool, subject: Subject, wanted: DnsRecord[], now: number): Promise<void> {
  for (const { record, visibleAt } of behaviourOf(subject.hostname).publishes(subject, wanted, now))
    await publish(db, subject.tenantId, record, new Date(visibleAt));
}
