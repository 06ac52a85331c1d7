import { z } from 'zod';
import { STANDINGS, type Admittance } from '../domain/edge/admission.ts';
import type { EdgeRoute } from '../domain/edge/own-route.ts';
import type { SigningSecret } from '../domain/edge/signature.ts';
import { CannotTell } from './admission.ts';
import type { Journal } from './journal.ts';
import { LastKnown } from './last-known.ts';

const ASK_LIMIT_MS = 500;
const PROBE_EVERY_MS = 1_000;

/** An API of an earlier version leaves fields out, and knows no wildcards. */
const AdmittanceBody = z
  .object({
    standing: z.enum(STANDINGS),
    own: z.enum(STANDINGS).optional(),
    origin_url: z.string().nullable(),
    route: z.custom<EdgeRoute>().nullable().default(null),
    application_id: z.string().nullable().default(null),
    display_name: z.string().nullable().default(null),
    logo_url: z.string().nullable().default(null),
    support_url: z.string().nullable().default(null),
    secrets: z.custom<SigningSecret[]>().default([]),
  })
  .transform(({ standing, own = standing, ...origin }) => ({ standing, own, ...origin }));

export interface CutOffOptions {
  journal: Journal;
  /** URL at which the API answers about hostnames; null if there is none. */
  apiUrl: string | null;
  /** Time after the table was last trusted in which serving hostnames continue; 0 for none. */
  staleForMs: number;
  recordStale(): void;
}

/** Answers for an edge whose table is not trusted: by the API or, if a probe finds it down, from the last state. */
export class CutOff {
  private readonly options: CutOffOptions;
  private readonly lastKnown: LastKnown;
  private isApiThere: boolean;
  private readonly probing: NodeJS.Timeout;

  constructor(options: CutOffOptions) {
    this.options = options;
    this.lastKnown = new LastKnown(options);
    this.isApiThere = options.apiUrl !== null;
    this.probing = setInterval(() => void this.probe(), PROBE_EVERY_MS).unref();
  }

  readonly lookup = async (hostname: string): Promise<Admittance> =>
    this.isApiThere
      ? this.askApi(hostname).catch(() => this.lastKnown.lookup(hostname))
      : this.lastKnown.lookup(hostname);

  /** Whether a question can be answered now: by the API, or from the last known state. */
  async canAnswer(): Promise<boolean> {
    if (this.options.apiUrl !== null && (await this.ask('probe.invalid').then(() => true, () => false))) return true; // prettier-ignore
    return this.options.journal.size > 0 && this.lastKnown.isFresh();
  }

  stop(): Promise<void> {
    clearInterval(this.probing);
    return Promise.resolve();
  }

  private async probe(): Promise<void> {
    if (this.options.apiUrl === null || this.isApiThere) return;
    this.isApiThere = await this.ask('probe.invalid').then(
      () => true,
      () => false,
    );
  }

  private async askApi(hostname: string): Promise<Admittance> {
    try {
      return await this.ask(hostname);
    } catch (error) {
      this.isApiThere = false;
      throw error;
    }
  }

  private async ask(hostname: string): Promise<Admittance> {
    const url = `${this.options.apiUrl}/internal/admission?host=${encodeURIComponent(hostname)}`;
    const response = await fetch(url, { signal: AbortSignal.timeout(ASK_LIMIT_MS) });
    if (!response.ok) throw new CannotTell(`The API answers ${response.status}.`);
    return AdmittanceBody.parse(await response.json());
  }
}
