import { normalizeHostname } from '../domain/hostname.ts';
import type { Api, Check, Connection, Failure } from './api.ts';
import { startPoller, type Poller } from './poller.ts';
import { needsChange, stepOf, type Choices } from './step.ts';
import type { Session } from './session.ts';
import type { Step } from './types.ts';

/** Reason why the input cannot be connected, with a corrected hostname if we have one. */
export interface Fault {
  key: 'faultEmpty' | 'faultShape' | 'faultReserved';
  suggestion: string | null;
}

export type ErrorKind = 'held' | 'quota' | 'unreachable' | 'other';

/** State of the widget. The view renders it and nothing else. */
export interface State extends Choices {
  step: Step;
  input: string;
  fault: Fault | null;
  domain: string | null;
  check: Check | null;
  connection: Connection | null;
  errorKind: ErrorKind | null;
  overlay: 'exit' | 'expired' | null;
  /** The page was reloaded and the connection has not been read again yet. */
  resuming: boolean;
  /** The customer waits for a call. */
  busy: boolean;
  reachable: boolean;
  /** The current step takes longer than usual, so the widget shows advice. */
  stalled: boolean;
}

const STALL_MS = 45_000;
/** Time for the customer to read the analysis before automatic setup starts. */
const READ_MS = 1_600;
/** Records are checked often at first, while the customer is probably adding them, and then rarely. */
const CHECK_OFTEN_MS = 10_000;
const CHECK_OFTEN_FOR_MS = 300_000;
const CHECK_RARELY_MS = 150_000;

/** Moves the widget from step to step. It knows no markup: the view renders `state` and calls a method for each action. */
export class Flow {
  state: State;
  private readonly api: Api;
  private readonly session: Session;
  private readonly changed: (before: State) => void;
  private poller: Poller | undefined;
  private readonly timers: Partial<Record<'read' | 'stall' | 'check', ReturnType<typeof setTimeout>>> = {};
  private manualSince = 0;
  private stopped = false;

  constructor(api: Api, session: Session, bound: string | null, changed: (before: State) => void) {
    this.api = api;
    this.session = session;
    this.changed = changed;
    this.state = {
      step: 'enter_domain',
      input: bound ?? '',
      fault: null,
      domain: null,
      check: null,
      connection: null,
      errorKind: null,
      overlay: null,
      resuming: false,
      busy: false,
      reachable: true,
      stalled: false,
      added: false,
      manual: false,
    };
  }

  /** Resumes the progress that this tab saved, unless the token is bound to another domain. */
  resume(bound: string | null): void {
    const saved = this.session.read();
    if (saved === null || (bound !== null && saved.domain !== bound)) return;
    const { domain, id, added, manual } = saved;
    if (id === null) {
      this.set({ input: domain });
      void this.analyse(domain);
      return;
    }
    this.set({ input: domain, domain, added, manual, resuming: true });
    this.follow(id);
  }

  stop(): void {
    this.stopped = true;
    this.poller?.stop();
    for (const name of ['read', 'stall', 'check'] as const) clearTimeout(this.timers[name]);
  }

  enter(input: string): void {
    this.set({ input, fault: null });
  }

  submit(input = this.state.input): void {
    this.enter(input);
    const result = normalizeHostname(input, { test: true });
    if (result.ok) void this.analyse(result.hostname);
    else this.set({ fault: faultOf(result.code, result.suggestion) });
  }

  /** Creates the connection, or continues with the customer's existing one. */
  async connect(): Promise<void> {
    const { domain, busy } = this.state;
    if (domain === null || busy) return;
    clearTimeout(this.timers.read);
    this.set({ busy: true });
    try {
      this.follow((await this.api.create(domain)).id);
    } catch (error) {
      const own = ownConnection(error as Failure);
      if (own === null) this.fail(error as Failure, () => void this.connect());
      else this.follow(own);
    }
  }

  /** Checks the records immediately. If none needs a change, the widget waits for them to propagate. */
  async confirmAdded(): Promise<void> {
    if (this.state.busy) return;
    this.set({ busy: true });
    await this.checkRecords();
    await this.refresh();
    this.set({ busy: false });
    if (this.state.connection !== null && !needsChange(this.state.connection)) this.choose({ added: true });
  }

  choose(choices: Partial<Choices>): void {
    this.show(choices);
  }

  restart(): void {
    this.poller?.stop();
    this.poller = undefined;
    this.session.clear();
    const nothing = {
      resuming: false,
      domain: null,
      check: null,
      connection: null,
      errorKind: null,
      added: false,
      manual: false,
    };
    this.set({ ...nothing, step: 'enter_domain', busy: false, reachable: true, stalled: false, fault: null });
  }

  retry: () => void = () => this.restart();

  setOverlay(overlay: State['overlay']): void {
    this.set({ overlay });
  }

  private async analyse(domain: string): Promise<void> {
    if (this.state.busy) return;
    this.set({ domain, fault: null, check: null, errorKind: null, step: 'domain_analysis', busy: true });
    this.save();
    try {
      const check = await this.api.check(domain);
      this.set({ check, busy: false });
      if (check.auto_configurable) this.after('read', READ_MS, () => void this.connect());
    } catch (error) {
      this.fail(error as Failure, () => void this.analyse(domain));
    }
  }

  private follow(id: string): void {
    this.poller?.stop();
    this.poller = startPoller(this.api, id, {
      isKnown: () => this.state.connection?.id === id,
      onConnection: (connection) => {
        const isFirst = this.state.connection === null;
        this.show({ connection, domain: connection.hostname, resuming: false, ...(isFirst ? { busy: false } : {}) });
      },
      onReachable: (reachable) => {
        if (reachable !== this.state.reachable) this.set({ reachable });
      },
      onEnd: (failure) => {
        // The saved connection was deleted or belongs to another customer.
        if (failure.status === 404) this.restart();
        else this.fail(failure, () => this.follow(id));
      },
    });
  }

  /** Applies the change together with the step that follows from it, so the view renders once. */
  private show(change: Partial<State>): void {
    const next = { ...this.state, ...change };
    const step = next.connection === null ? next.step : stepOf(next.connection, next);
    const isNew = step !== this.state.step || this.state.resuming;
    this.set({ ...change, step, ...(isNew ? { stalled: false, errorKind: null } : {}) });
    this.save();
    if (!isNew) return;
    clearTimeout(this.timers.stall);
    clearTimeout(this.timers.check);
    if (step === 'in_progress' || step === 'automatic_setup')
      this.after('stall', STALL_MS, () => this.set({ stalled: true }));
    if (step === 'manual_configuration') {
      this.manualSince = performance.now();
      void this.keepChecking();
    }
    if (step === 'success' || step === 'error') this.session.clear();
    if (step === 'success') this.poller?.stop();
    if (step === 'error') this.retry = () => this.startAgain();
  }

  private startAgain(): void {
    const { domain } = this.state;
    this.restart();
    if (domain === null) return;
    this.set({ input: domain });
    void this.analyse(domain);
  }

  private async keepChecking(): Promise<void> {
    if (this.stopped || this.state.step !== 'manual_configuration') return;
    if (!document.hidden && !this.state.busy) await this.checkRecords();
    const often = performance.now() - this.manualSince < CHECK_OFTEN_FOR_MS;
    this.after('check', often ? CHECK_OFTEN_MS : CHECK_RARELY_MS, () => void this.keepChecking());
  }

  private async checkRecords(): Promise<void> {
    const { connection } = this.state;
    if (connection === null) return;
    try {
      await this.api.checkRecords(connection.id);
      this.set({ reachable: true });
    } catch (error) {
      if (isSessionOver(error as Failure)) this.fail(error as Failure, () => undefined);
    }
    if (!this.state.busy) this.poller?.now();
  }

  /** Reads the connection after a check. If that fails, the poller reads it later. */
  private async refresh(): Promise<void> {
    const { connection } = this.state;
    if (connection === null) return;
    try {
      const polled = await this.api.poll(connection.id, true);
      if (polled.connection !== null) this.show({ connection: polled.connection });
    } catch (error) {
      if (isSessionOver(error as Failure)) this.fail(error as Failure, () => undefined);
    }
  }

  private fail(failure: Failure, retry: () => void): void {
    if (this.stopped) return;
    this.set({ busy: false, resuming: false });
    if (isSessionOver(failure)) {
      console.warn(`[svc] ${failure.message}`);
      this.poller?.stop();
      this.set({ overlay: 'expired' });
      return;
    }
    const [problem] = Array.isArray(failure.details)
      ? (failure.details as { code?: string; suggestion?: string }[])
      : [];
    if (failure.code === 'invalid') {
      this.session.clear();
      this.set({ step: 'enter_domain', fault: faultOf(problem?.code ?? '', problem?.suggestion) });
      return;
    }
    this.retry = retry;
    this.set({ step: 'error', errorKind: errorKindOf(failure) });
  }

  private after(name: 'read' | 'stall' | 'check', ms: number, action: () => void): void {
    clearTimeout(this.timers[name]);
    if (!this.stopped) this.timers[name] = setTimeout(action, ms);
  }

  private save(): void {
    const { domain, connection, added, manual } = this.state;
    if (domain !== null) this.session.write({ domain, id: connection?.id ?? null, added, manual });
  }

  private set(change: Partial<State>): void {
    if (this.stopped) return;
    const before = this.state;
    this.state = { ...before, ...change };
    this.changed(before);
  }
}

const isSessionOver = ({ status }: Failure): boolean => status === 401 || status === 403;

function errorKindOf({ code, status }: Failure): ErrorKind {
  if (code === 'HostnameConflict') return 'held';
  if (code === 'QuotaExceeded') return 'quota';
  return status === 0 ? 'unreachable' : 'other';
}

/** Returns the customer's own connection from a HostnameConflict, or null if another customer has the hostname. */
function ownConnection({ code, details }: Failure): string | null {
  if (code !== 'HostnameConflict') return null;
  return (details as { connection_id?: string | null } | null)?.connection_id ?? null;
}

const RESERVED = ['reserved', 'public_suffix', 'own_host', 'wildcard'];

function faultOf(code: string, suggestion: string | undefined): Fault {
  const key = code === 'empty' ? 'faultEmpty' : RESERVED.indexOf(code) === -1 ? 'faultShape' : 'faultReserved';
  return { key, suggestion: suggestion ?? null };
}
