import { randomUUID } from 'node:crypto';
import { recordApiCalls, type ApiCalls } from '../db/billing/usage.ts';
import type { Queryable } from '../db/pool.ts';
import { periodAt } from '../domain/billing/usage.ts';

const FLUSH_MS = 1_000;
const STOP_ATTEMPTS = 3;

interface HandIn {
  sequence: number;
  counts: readonly ApiCalls[];
}

/** Counts API calls and reports them every second. A report without an outcome is repeated under its number. */
export class ApiCallMeter {
  private readonly db: Queryable;
  private readonly onError: (error: unknown) => void;
  private readonly process = randomUUID();
  private counts = new Map<string, ApiCalls>();
  private open: HandIn | null = null;
  private sequence = 0;
  private flushing: Promise<void> = Promise.resolve();
  private readonly timer: NodeJS.Timeout;

  constructor(db: Queryable, onError: (error: unknown) => void) {
    this.db = db;
    this.onError = onError;
    this.timer = setInterval(() => void this.flush().catch(this.onError), FLUSH_MS);
  }

  note(tenantId: string, applicationId: string, at: Date): void {
    const period = periodAt(at).start.toISOString().slice(0, 10);
    const key = `${applicationId} ${period}`;
    const known = this.counts.get(key);
    if (known) known.quantity++;
    else this.counts.set(key, { tenant_id: tenantId, application_id: applicationId, period, quantity: 1 });
  }

  /** Sends one report at a time, in order. */
  flush(): Promise<void> {
    this.flushing = this.flushing.catch(() => undefined).then(() => this.handIn());
    return this.flushing;
  }

  /** Reports everything that was counted, unless the database is down. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    for (let attempt = 1; attempt <= STOP_ATTEMPTS; attempt++) {
      try {
        await this.flush();
        if (this.open === null && this.counts.size === 0) return;
      } catch (error) {
        if (attempt === STOP_ATTEMPTS) this.onError(error);
      }
    }
  }

  private async handIn(): Promise<void> {
    if (this.open === null && this.counts.size > 0) {
      this.open = { sequence: ++this.sequence, counts: [...this.counts.values()] };
      this.counts = new Map();
    }
    if (this.open === null) return;
    await recordApiCalls(this.db, this.process, this.open.sequence, this.open.counts);
    this.open = null;
  }
}
