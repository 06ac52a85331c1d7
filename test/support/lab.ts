import { WorkflowUpdateRPCTimeoutOrCancelledError, type WorkflowHandle } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { createActivities, type Activities } from '../../activities/index.ts';
import type { ConnectionRow } from '../../src/db/connection/connection-row.ts';
import { archiveConnection, getConnection, lockConnection } from '../../src/db/connection/connections.ts';
import { createPool, none, sql, type Pool } from '../../src/db/pool.ts';
import { createTenant, type NewTenant } from '../../src/db/tenant/tenants.ts';
import type { CertificateHealth, CertificateOutcome } from '../../src/domain/certificate/certificate.ts';
import type { Subject } from '../../src/domain/observation/check.ts';
import type { VerifyOutcome } from '../../src/domain/connection/snapshot.ts';
import { REAL_PACE } from '../../src/domain/connection/schedule.ts';
import type { Verdict } from '../../src/domain/observation/verdict.ts';
import type { ProviderAccess } from '../../src/provisioning/account.ts';
import { freePorts } from '../../src/embedded/ports.ts';
import { createMetrics } from '../../src/metrics.ts';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.ts';
import { startConnection, verifyConnection, type Temporal } from '../../src/temporal/client.ts';
import { relayBatch } from '../../src/temporal/relay.ts';
import { installRuntime } from '../../src/temporal/worker.ts';
import type { ConnectionInput } from '../../workflows/messages.ts';
import { connectionWorkflowId } from '../../workflows/messages.ts';
import { z } from 'zod';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { testProviderAccess } from './provider-access.ts';
import { newConnection } from './new-connection.ts';
import { until } from './until.ts';

/** DNS and certificates as a connection's checks find them at Temporal's time. Tests change them as they continue. */
export interface World {
  challenge(now: number, hostname: string): Verdict | Promise<Verdict>;
  records(now: number, hostname: string): Verdict;
  certificate(now: number, hostname: string): CertificateOutcome;
  health(now: number): CertificateHealth | null;
}

const allIsWell = (): World => ({
  challenge: () => 'match',
  records: () => 'match',
  certificate: (now) => ({ outcome: 'issued', notAfter: new Date(now + 90 * 86_400_000), ca: 'Lab CA' }),
  health: () => null,
});

const LAB_TASK_QUEUE = 'lab';
type ServerKind = 'time-skipping' | 'dev-server' | { address: string };
export const log = pino({ level: 'warn' });
let runtimeIsInstalled = false;

/** A real Postgres, a real Temporal server whose time can be skipped, the real workflow; only DNS and the edge are scripted. */
export class Lab {
  readonly world: World = allIsWell();
  /** Every look that was made, by Temporal's time. */
  readonly looks: { purpose: 'challenge' | 'records'; verdict: Verdict; now: number }[] = [];
  readonly activities: Activities;
  readonly providerAccess: ProviderAccess;
  private readonly metrics = createMetrics();
  private worker: { stop(): Promise<void> } | undefined;

  readonly pool: Pool;
  readonly databaseUrl: string;
  readonly tenant: NewTenant;
  readonly env: TestWorkflowEnvironment;
  readonly temporal: Temporal;
  private readonly dropDatabase: () => Promise<void>;

  private constructor(
    database: TestDatabase,
    pool: Pool,
    tenant: NewTenant,
    env: TestWorkflowEnvironment,
    temporal: Temporal,
    vaultKey: string | undefined,
  ) {
    this.pool = pool;
    this.databaseUrl = database.url;
    this.dropDatabase = database.drop;
    this.tenant = tenant;
    this.env = env;
    this.temporal = temporal;
    this.providerAccess = testProviderAccess(pool, vaultKey);
    this.activities = createActivities({
      pool,
      providerAccess: this.providerAccess,
      checkerFor: () => this.checker,
      certificatesFor: () => ({
        obtain: ({ hostname }, now) => Promise.resolve(this.world.certificate(now, hostname)),
        inspect: (_subject, now) => Promise.resolve(this.world.health(now)),
        noteRenewal: () => Promise.resolve(),
      }),
      random: () => 0.5,
      noteLive: () => undefined,
      noteLook: () => undefined,
    });
  }

  /** On a server of its own, or on one that runs already, where the test brings its workers. */
  static async open(kind: ServerKind = 'time-skipping', vaultKey?: string): Promise<Lab> {
    if (!runtimeIsInstalled) installRuntime(log);
    runtimeIsInstalled = true;
    const database = await createTestDatabase();
    const pool = await createPool(database.url, { max: 10, name: 'lab' });
    const env = await openEnvironment(kind);
    const temporal: Temporal = {
      client: env.client,
      connection: env.connection,
      namespace: env.namespace ?? 'default',
      taskQueue: LAB_TASK_QUEUE,
      connectOptions: typeof kind === 'string' ? {} : kind,
    };
    await registerSearchAttributes(temporal, log);
    const lab = new Lab(database, pool, await createTenant(pool, 'Lab'), env, temporal, vaultKey);
    if (typeof kind === 'string') await lab.startWorker();
    return lab;
  }

  private readonly checker = {
    paceOf: () => REAL_PACE,
    challenge: async (subject: Subject, now: number) => {
      const verdict = await this.world.challenge(now, subject.hostname);
      this.looks.push({ purpose: 'challenge', verdict, now });
      const observed = verdict === 'match' ? [subject.challenge.value] : [];
      return {
        verdict,
        sentence: `The challenge is a ${verdict}.`,
        findings: [],
        providers: ['lab'],
        nameservers: null,
        evidence: null,
        observed,
      };
    },
    records: ({ hostname }: Subject, now: number) => {
      const verdict = this.world.records(now, hostname);
      this.looks.push({ purpose: 'records', verdict, now });
      return Promise.resolve({
        verdict,
        sentence: `The records are a ${verdict}.`,
        findings: [],
        providers: ['lab'],
        nameservers: null,
        evidence: null,
        records: [],
      });
    },
  };

  /** Forgets the looks so far and makes the world well again, for tests that share a lab. */
  calm(): void {
    Object.assign(this.world, allIsWell());
    this.looks.length = 0;
  }

  async startWorker(): Promise<void> {
    const worker = await Worker.create({
      connection: this.env.nativeConnection,
      namespace: this.temporal.namespace,
      taskQueue: LAB_TASK_QUEUE,
      workflowBundle: { codePath: process.env['TEST_WORKFLOW_BUNDLE']! },
      activities: this.activities,
      maxCachedWorkflows: 100,
    });
    const done = worker.run();
    this.worker = {
      stop: async () => {
        worker.shutdown();
        await done;
      },
    };
  }

  /** As if the process had died: what it had cached of its workflows is gone. */
  async restartWorker(): Promise<void> {
    await this.worker?.stop();
    await this.startWorker();
  }

  async close(): Promise<void> {
    await this.worker?.stop();
    await this.env.teardown();
    await this.providerAccess.http.close();
    await this.pool.end();
    await this.dropDatabase();
  }

  /** A connection as POST makes it; its workflow is not started yet. */
  create(hostname = `${crypto.randomUUID()}.example-customer.com`, tenant = this.tenant): Promise<ConnectionRow> {
    return newConnection(this.pool, tenant, hostname, { target: 'edge.lab' });
  }

  start(row: ConnectionRow, more: Partial<ConnectionInput> = {}) {
    return startConnection(this.temporal, row, more);
  }

  async createAndStart(): Promise<ConnectionRow> {
    const row = await this.create();
    await this.start(row);
    return row;
  }

  /** Carries what the outbox holds to Temporal, as a relay does. */
  async relay(): Promise<void> {
    while ((await relayBatch({ pool: this.pool, temporal: this.temporal, log, metrics: this.metrics })) > 0);
  }

  /** Puts the connection into a state without going there: for what must hold in every state. */
  async force(id: string, state: ConnectionRow['state']): Promise<void> {
    await this.pool.query(sql.type(none)`
      UPDATE connections SET state = ${state}, version = version + 1, phase_started_at = now() WHERE id = ${id}
    `);
  }

  /** One immediate check, as POST verify asks for it. It is asked for again if a busy machine does not answer in time. */
  async verify(row: ConnectionRow, tries = 5): Promise<VerifyOutcome> {
    try {
      return await verifyConnection(this.temporal, row);
    } catch (error) {
      if (tries === 1 || !(error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)) throw error;
      return this.verify(row, tries - 1);
    }
  }

  handle(row: ConnectionRow): WorkflowHandle {
    return this.env.client.workflow.getHandle(connectionWorkflowId(row));
  }

  async row(id: string): Promise<ConnectionRow> {
    return (await getConnection(this.pool, id))!;
  }

  async archive(id: string): Promise<void> {
    await this.pool.transaction(async (tx) => archiveConnection(tx, (await lockConnection(tx, id))!, new Date()));
  }

  /** Lets real time pass until the row is as wanted. */
  async untilRow(id: string, wanted: (row: ConnectionRow) => boolean, limitMs = 15_000): Promise<ConnectionRow> {
    const end = Date.now() + limitMs;
    for (;;) {
      const row = await this.row(id);
      if (wanted(row)) return row;
      if (Date.now() > end) throw new Error(`The connection stayed ${row.state} (${row.error_code ?? 'no error'}).`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  untilState(id: string, state: ConnectionRow['state']): Promise<ConnectionRow> {
    return this.untilRow(id, (row) => row.state === state);
  }

  /** Lets real time pass until the n-th look of this kind was made. */
  async untilLook(purpose: 'challenge' | 'records', n: number): Promise<void> {
    await until(() => this.looks.filter((look) => look.purpose === purpose).length >= n);
  }

  /** Skips time in steps until the row is as wanted or the limit is reached. */
  async skipUntil(id: string, state: ConnectionRow['state'], step: string, times: number): Promise<ConnectionRow> {
    for (let i = 0; i < times; i++) {
      const row = await this.row(id);
      if (row.state === state) return row;
      await this.env.sleep(step);
    }
    return this.untilState(id, state);
  }

  eventTypes(id: string): Promise<readonly string[]> {
    return this.pool.anyFirst(sql.type(z.object({ type: z.string() }))`
      SELECT type FROM events WHERE connection_id = ${id} ORDER BY sequence
    `);
  }

  moves(id: string): Promise<readonly string[]> {
    return this.pool.anyFirst(sql.type(z.object({ move: z.string() }))`
      SELECT from_state || '→' || to_state AS move FROM timeline WHERE connection_id = ${id} AND kind = 'move' ORDER BY id
    `);
  }
}

/** The server must listen within five seconds of its start, which a loaded machine cannot always promise. */
async function openEnvironment(kind: ServerKind, tries = 8): Promise<TestWorkflowEnvironment> {
  if (typeof kind === 'object') return TestWorkflowEnvironment.createFromExistingServer(kind);
  const [port, metricsPort] = await freePorts([undefined, undefined]);
  const path = (name: string) => ({ port, executable: { type: 'existing-path' as const, path: process.env[name]! } });
  try {
    return kind === 'time-skipping'
      ? await TestWorkflowEnvironment.createTimeSkipping({ server: path('TEMPORAL_TEST_SERVER_PATH') })
      : await TestWorkflowEnvironment.createLocal({
          server: { ...path('TEMPORAL_CLI_PATH'), extraArgs: ['--metrics-port', String(metricsPort)] },
        });
  } catch (error) {
    if (tries === 1) throw error;
    return openEnvironment(kind, tries - 1);
  }
}
