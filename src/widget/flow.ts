import { normalizeHostname } from '../domain/hostname.ts';
import { unicodeHostname } from '../domain/idn.ts';
import { Failure, type Api, type EmailSetup } from './api.ts';
import { errorKindOf, faultOf, isInUrl, isNotReady, isSessionOver, ownConnection } from './failures.ts';
import { startPoller, type Poller } from './poller.ts';
import { awaitsMove, isChecked, needsChange, stepOf, type Choices } from './step.ts';
import type { Session } from './session.ts';
import { BEGINNING, type State } from './state.ts';
import type { Step } from './types.ts';

const STALL_MS = 45_000;
/** A first check takes seconds. It waits only if no worker runs or the name servers are silent. */
const FIRST_CHECK_MS = 15_000;
/** Records are checked often at first, while the customer is probably adding them, and then rarely. */
const CHECK_OFTEN_MS = 10_000;
const CHECK_OFTEN_FOR_MS = 300_000;
const CHECK_RARELY_MS = 150_000;

const TIMERS = ['first', 'stall', 'check'] as const;

/** Moves the widget from step to step. It knows no markup: the view renders `state` and calls a method for each action. */
export class Flow {
  state: State;
  private readonly api: Api;
  private readonly session: Session;
  private readonly changed: (before: State) => void;
  private poller: Poller | undefined;
  private readonly timers: { [name in (typeof TIMERS)[number]]?: ReturnType<typeof setTimeout> | undefined } = {};
  private manualSince = 0;
  /** Number of restarts. An answer to a call from before a restart has no effect. */
  private restarts = 0;
  private stopped = false;

  constructor(api: Api, session: Session, bound: string | null, changed: (before: State) => void) {
    this.api = api;
    this.session = session;
    this.changed = changed;
    this.state = { ...BEGINNING, input: unicodeHostname(bound ?? ''), overlay: null };
  }

  /** Resumes the progress that this tab saved, unless the token is bound to another domain. */
  resume(bound: string | null): void {
    const saved = this.session.read();
    if (saved === null || (bound !== null && saved.domain !== bound)) return;
    const { domain, id, added, manual, pointed } = saved;
    if (id === null) {
      this.set({ input: unicodeHostname(domain) });
      void this.analyse(domain);
      return;
    }
    this.set({ input: unicodeHostname(domain), domain, added, manual, pointed, resuming: true });
    this.follow(id);
  }

  stop(): void {
    this.stopped = true;
    this.poller?.stop();
    this.clearTimers();
  }

  enter(input: string): void {
    this.set({ input, fault: null });
  }

  submit(input = this.state.input): void {
    this.enter(input);
    const result = normalizeHostname(input, { test: true, wildcard: true });
    if (result.ok) void this.analyse(result.hostname);
    else if (result.suggestion !== undefined && isInUrl(result.code)) {
      this.set({ input: unicodeHostname(result.suggestion) });
      void this.analyse(result.suggestion, true);
    } else this.set({ fault: faultOf(result.code, result.suggestion) });
  }

  chooseCompanion(companion: boolean): void {
    this.set({ companion });
  }

  /** Creates the connection, or continues with the customer's existing one. */
  async connect(): Promise<void> {
    const { domain, busy, companion } = this.state;
    if (domain === null || busy) return;
    this.set({ busy: true });
    await this.unlessRestarted(
      () => this.api.create(domain, companion),
      ({ id }) => this.follow(id),
      (failure) => {
        const own = ownConnection(failure);
        if (own === null) this.fail(failure, () => void this.connect());
        else this.follow(own);
      },
    );
  }

  /** Checks the records immediately. If none needs a change, the widget waits for them to propagate. */
  async confirmAdded(): Promise<void> {
    if (this.state.busy) return;
    const { restarts } = this;
    this.set({ busy: true, unresolved: false });
    await this.checkRecords();
    await this.refresh();
    const { connection } = this.state;
    if (restarts !== this.restarts || connection === null) return;
    this.set({ busy: false });
    if (needsChange(connection)) this.set({ unresolved: true });
    else this.choose(awaitsMove(connection) ? { pointed: true } : { added: true });
  }

  choose(choices: Partial<Choices>): void {
    this.show(choices);
  }

  /** Returns to the first step. The connection stays as it is, and the customer can resume it by its domain. */
  restart(): void {
    this.restarts += 1;
    this.poller?.stop();
    this.poller = undefined;
    this.clearTimers();
    this.session.clear();
    this.set(BEGINNING);
  }

  retry: () => void = () => this.restart();

  setOverlay(overlay: State['overlay']): void {
    this.set({ overlay });
  }

  /** Reads the connection soon, for example after the customer returned from the DNS provider. */
  pollSoon(): void {
    this.poller?.now();
  }

  /** Shows that the tenant has to finish the installation. */
  refuse(): void {
    this.set({ step: 'error', errorKind: 'not_ready' });
  }

  /** Shows that the files of the later steps could not be loaded. */
  missFiles(): void {
    const { connection, domain } = this.state;
    this.poller?.stop();
    this.fail(new Failure(0, 'unreachable', 'Files of the widget could not be loaded.'), () => {
      if (connection !== null) this.follow(connection.id);
      else if (domain !== null) void this.analyse(domain);
    });
  }

  /** Reads the mail records of every mailbox provider. */
  async emailSetup(): Promise<readonly EmailSetup[]> {
    try {
      return await this.api.emailSetup(this.state.connection?.id ?? '');
    } catch (error) {
      if (isSessionOver(error as Failure)) this.fail(error as Failure, () => undefined);
      throw error;
    }
  }

  private async analyse(domain: string, taken = false): Promise<void> {
    if (this.state.busy) return;
    this.set({ domain, taken, fault: null, check: null, errorKind: null, step: 'domain_analysis', busy: true });
    this.save();
    await this.unlessRestarted(
      () => this.api.check(domain),
      (check) => this.set({ check, companion: check.companion?.selected, busy: false }),
      (failure) => this.fail(failure, () => void this.analyse(domain, taken)),
    );
  }

  /** Calls the service, and ignores its answer if the customer has chosen another domain meanwhile. */
  private async unlessRestarted<T>(
    call: () => Promise<T>,
    onAnswer: (answer: T) => void,
    onFailure: (failure: Failure) => void,
  ): Promise<void> {
    const { restarts } = this;
    try {
      const answer = await call();
      if (restarts === this.restarts) onAnswer(answer);
    } catch (error) {
      if (restarts === this.restarts) onFailure(error as Failure);
    }
  }

  private follow(id: string): void {
    this.poller?.stop();
    this.poller = startPoller(this.api, id, {
      isKnown: () => this.state.connection?.id === id,
      onConnection: (connection) => this.show({ connection, domain: connection.hostname }),
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
    const { connection } = next;
    const step = connection === null ? next.step : stepOf(connection, next);
    if (connection !== null && step === 'manual_configuration' && !isChecked(connection) && !next.unchecked) {
      this.set(change);
      this.save();
      if (this.timers.first === undefined) this.after('first', FIRST_CHECK_MS, () => this.show({ unchecked: true }));
      return;
    }
    const isNew = step !== this.state.step || this.state.resuming;
    const unresolved = next.unresolved && connection !== null && needsChange(connection);
    this.set({
      ...change,
      step,
      unresolved,
      resuming: false,
      ...(isNew ? { stalled: false, errorKind: null, busy: false } : {}),
    });
    this.save();
    if (isNew) this.begin(step);
  }

  /** Starts the timers of a step. */
  private begin(step: Step): void {
    this.clearTimers();
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
    await this.unlessRestarted(
      () => this.api.poll(connection.id, true),
      (polled) => {
        if (polled.connection !== null) this.show({ connection: polled.connection });
      },
      (failure) => {
        if (isSessionOver(failure)) this.fail(failure, () => undefined);
      },
    );
  }

  private fail(failure: Failure, retry: () => void): void {
    if (this.stopped) return;
    this.set({ busy: false, resuming: false });
    if (isNotReady(failure)) {
      console.error(`[svc] ${failure.message}`);
      this.poller?.stop();
    } else if (isSessionOver(failure)) {
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

  private clearTimers(): void {
    for (const name of TIMERS) {
      clearTimeout(this.timers[name]);
      this.timers[name] = undefined;
    }
  }

  private after(name: (typeof TIMERS)[number], ms: number, action: () => void): void {
    clearTimeout(this.timers[name]);
    if (!this.stopped) this.timers[name] = setTimeout(action, ms);
  }

  private save(): void {
    const { domain, connection, added, manual, pointed } = this.state;
    if (domain !== null) this.session.write({ domain, id: connection?.id ?? null, added, manual, pointed });
  }

  private set(change: Partial<State>): void {
    if (this.stopped) return;
    const before = this.state;
    this.state = { ...before, ...change };
    this.changed(before);
  }
}
