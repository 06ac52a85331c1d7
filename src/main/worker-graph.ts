import { createActivities, type Activities } from '../../activities/index.ts';
import { webhookActivities, type WebhookActivities } from '../../activities/webhook.ts';
import type { Billing } from '../billing/stripe.ts';
import { createPool, type Pool } from '../db/pool.ts';
import { subjectOf } from '../db/observation/subject.ts';
import { recordAttempts } from '../db/webhook/deliveries.ts';
import { createChallengeWatch, type ChallengeWatch } from '../dns/challenge-watch.ts';
import { createTenantSemaphores, limitPerTenant } from '../dns/tenant-semaphores.ts';
import { recordOffers } from '../domain-connect/record-offers.ts';
import { isWildcard } from '../domain/certificate/dns-validation.ts';
import { isInSandbox } from '../domain/hostname.ts';
import { StepSemaphore } from '../net/step-semaphore.ts';
import type { Ordering } from '../ordering/steps.ts';
import type { Registrations } from '../registrations/check.ts';
import type { ProviderAccess } from '../provisioning/account.ts';
import { endsEarly } from '../sandbox/certificates.ts';
import { sandboxChecker } from '../sandbox/checker.ts';
import { sandboxObserver } from '../sandbox/observer.ts';
import { EndpointSemaphores } from '../webhooks/endpoint-semaphores.ts';
import { webhookSender } from '../webhooks/send.ts';
import { restart } from '../db/webhook/postpone.ts';
import { together } from '../webhooks/together.ts';
import { billingOf } from './billing.ts';
import { certificatesBy } from './certificates.ts';
import type { Core } from './core.ts';
import { edgeOf, type EdgeInReach } from './edge-in-reach.ts';
import { probesOf } from './probes.ts';
import { openRegistrations } from './registrations.ts';
import { openOrdering, refuseOtherDelegationKey } from './ordering.ts';
import { tracedSender } from './traces.ts';

export interface WorkerGraph extends Pick<Core, 'config' | 'log' | 'metrics' | 'own' | 'temporal' | 'vault'> {
  databaseUrl: string;
  pool: Pool;
  billing: Billing | null;
  providerAccess: ProviderAccess;
  ordering: Ordering;
  /** Null if RDAP is not configured. */
  registrations: Registrations | null;
  challengeWatch: ChallengeWatch;
  turns: StepSemaphore;
  endpointSemaphores: EndpointSemaphores;
  activities: Activities;
  webhookActivities: WebhookActivities;
  close(): Promise<void>;
}

export async function openWorkerGraph(
  core: Core,
  databaseUrl: string,
  {
    edgeInReach = edgeOf(core.config),
    turns = new StepSemaphore(),
  }: { edgeInReach?: EdgeInReach | null; turns?: StepSemaphore } = {},
): Promise<WorkerGraph> {
  const { name, config, log, metrics, own, temporal, vault, dial, detection, observer } = core;
  const pool = await createPool(databaseUrl, { max: config.DATABASE_POOL, name });
  await refuseOtherDelegationKey(pool, config);
  const sandbox = { db: pool, edge: config.edge, detection };
  const certificates = certificatesBy(config, edgeInReach, pool, observer, sandbox);
  // A tenth of the worker's slots, so that a tenant's silent name servers take at most a fifth, waiting checks included.
  const semaphores = createTenantSemaphores(Math.ceil(config.WORKER_ACTIVITIES / 10));
  const checker = limitPerTenant(core.realChecker, semaphores);
  const recordingOffers =
    core.domainConnect &&
    recordOffers({ pool, edge: config.edge, offerFor: (...asked) => observer.observeOffer(...asked) });
  const challengeWatch = createChallengeWatch(observer, config.WORKER_ACTIVITIES);
  const inSandbox = sandboxChecker(sandbox);
  const providerAccess = core.providerAccessOn(pool);
  const ordering = openOrdering(config, { pool, vault, providerAccess, observer });
  const registrations = await openRegistrations(config, { pool, observer, dial: dial.servers });
  const endpointSemaphores = new EndpointSemaphores();
  const sender = tracedSender(webhookSender(dial.receivers));
  return {
    config,
    log,
    metrics,
    own,
    temporal,
    vault,
    databaseUrl,
    pool,
    billing: billingOf(config),
    providerAccess,
    ordering,
    registrations,
    challengeWatch,
    turns,
    endpointSemaphores,
    activities: createActivities({
      pool,
      turns,
      providerAccess,
      checkerFor: (row) => (isInSandbox(row) ? inSandbox : (recordingOffers?.(checker, row) ?? checker)),
      awaitChallenge: (row, forMs, signal) =>
        isInSandbox(row) ? Promise.resolve(false) : challengeWatch.await(subjectOf(row), forMs, signal),
      lookupFor: (row, signal) =>
        isInSandbox(row)
          ? sandboxObserver(sandbox, { tenantId: row.tenant_id, liveAt: null }, Date.now()).lookup()
          : observer.lookup(signal, { recent: true }),
      certificatesFor(row) {
        if (!isInSandbox(row)) return certificates.real;
        // No CA can validate a wildcard below .test, so its certificate is simulated.
        return endsEarly(row.hostname) || isWildcard(row.hostname) ? certificates.simulated : certificates.sandbox;
      },
      cnameProof: config.IMPORT_CNAME_PROOF === 'on',
      ordering,
      probes: probesOf(config, edgeInReach, dial.origins),
      random: Math.random,
      recordLive: (seconds) => metrics.timeToLive.observe(seconds),
      recordCheck: (purpose, verdict) => metrics.checks.inc({ purpose, verdict }),
    }),
    webhookActivities: webhookActivities({
      pool,
      vault,
      sender,
      endpointSemaphores,
      record: together((made) => recordAttempts(pool, made)),
      restart: together((deliveries) => restart(pool, deliveries)),
      random: Math.random,
      recordAttempt: ({ outcome, secondsSinceEvent }) => {
        metrics.webhookAttempts.inc({ outcome });
        if (secondsSinceEvent !== null) metrics.webhookFirstAttempt.observe(secondsSinceEvent);
      },
    }),
    async close() {
      await Promise.all([
        sender.close(),
        providerAccess.http.close(),
        ordering.accounts.close(),
        registrations?.http.close(),
      ]);
      await providerAccess.zoneLock.close();
      await pool.end();
    },
  };
}
