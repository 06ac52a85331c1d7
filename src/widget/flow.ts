import { normalizeHostname } from '../domain/hostname.ts';
import type { Api, Check, Connection, Failure } from './api.ts';
import { startPoller, type Poller } from './poller.ts';
import { needsHand, screenOf, type Choices } from './screen.ts';
import type { Session } from './session.ts';
import type { Step } from './types.ts';

/** Why what was entered is no domain that can be connected. */
export interface Fault {
  key: 'faultEmpty' | 'faultShape' | 'faultReserved';
  suggestion: string | null;
}

export type Trouble = 'held' | 'quota' | 'reach' | 'other';

/** Everything that the screens show. */
export interface State extends Choices {
  screen: Step;
  input: string;
  fault: Fault | null;
  domain: string | null;
  check: Check | null;
  connection: Connection | null;
  trouble: Trouble | null;
  overlay: 'exit' | 'expired' | null;
  /** Where the customer was before a reload is not known yet. */
  resuming: boolean;
  /** A call that the customer waits for is under way. */
  busy: boolean;
  reached: boolean;
  /** The last step took long enough to say what to look at. */
  stalled: boolean;
}

const STALL_MS = 45_000;
/** How long the customer sees what was found before setup goes on by itself. */
const READ_MS = 1_600;
/** Records are checked often while the customer is likely to be typing them, then seldom. */
const CHECK_OFTEN_MS = 10_000;
const OFTEN_FOR_MS = 300_000;
const CHECK_SELDOM_MS = 150_000;

/** The way through the screens. It knows no markup: the view reads `state` and calls what the customer did. */
export class Flow {
  state: State;
  private readonly api: Api;
  private readonly session: Session;
  private readonly changed: (before: State) => void;
  private poller: Poller | undefined;
  private readonly timers: Partial<Record<'read' | 'stall' | 'check', ReturnType<typeof setTimeout>>> = {};
  private manualSince = 0;
  private ended = false;

  constructor(api: Api, session: Session, bound: string | null, changed: (before: State) => void) {
    this.api = api;
    this.session = session;
    this.changed = changed;
    this.state = {
      screen: 'enter_domain',
      input: bound ?? '',
      fault: null,
      domain: null,
      check: null,
      connection: null,
      trouble: null,
      overlay: null,
      resuming: false,
      busy: false,
      reached: true,
      stalled: false,
      added: false,
      byHand: false,
    };
  }

  /** Goes on where this tab was before, if it was somewhere and the token may go there. */
  resume(bound: string | null): void {
    const kept = this.session.read();
    if (kept === null || (bound !== null && kept.domain !== bound)) return;
    const { domain, id, added, byHand } = kept;
    if (id === null) {
      this.set({ input: domain });
      void this.analyse(domain);
      return;
    }
    this.set({ input: domain, domain, added, byHand, resuming: true });
    this.follow(id);
  }

  stop(): void {
    this.ended = true;
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

  /** From the analysis on: makes the connection, or finds the one that is there. */
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

  /** The customer says that the records are there. What is wrong with them is shown at once; what is not yet seen is waited for. */
  async confirmAdded(): Promise<void> {
    if (this.state.busy) return;
    this.set({ busy: true });
    await this.checkRecords();
    await this.refresh();
    this.set({ busy: false });
    if (this.state.connection !== null && !needsHand(this.state.connection)) this.choose({ added: true });
  }

  choose(choices: Partial<Choices>): void {
    this.show(choices);
  }

  /** Back to the first screen; a name that failed can be tried again. */
  restart(): void {
    this.poller?.stop();
    this.poller = undefined;
    this.session.clear();
    const nothing = {
      resuming: false,
      domain: null,
      check: null,
      connection: null,
      trouble: null,
      added: false,
      byHand: false,
    };
    this.set({ ...nothing, screen: 'enter_domain', busy: false, reached: true, stalled: false, fault: null });
  }

  retry: () => void = () => this.restart();

  ask(overlay: State['overlay']): void {
    this.set({ overlay });
  }

  private async analyse(domain: string): Promise<void> {
    if (this.state.busy) return;
    this.set({ domain, fault: null, check: null, trouble: null, screen: 'domain_analysis', busy: true });
    this.keep();
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
      onReach: (reached) => {
        if (reached !== this.state.reached) this.set({ reached });
      },
      onEnd: (failure) => {
        // The connection of another session, or one that is gone: nothing to go on with.
        if (failure.status === 404) this.restart();
        else this.fail(failure, () => this.follow(id));
      },
    });
  }

  /** What changed, and the screen that follows from it, in one step. */
  private show(change: Partial<State>): void {
    const next = { ...this.state, ...change };
    const screen = next.connection === null ? next.screen : screenOf(next.connection, next);
    const isNew = screen !== this.state.screen || this.state.resuming;
    this.set({ ...change, screen, ...(isNew ? { stalled: false, trouble: null } : {}) });
    this.keep();
    if (!isNew) return;
    clearTimeout(this.timers.stall);
    clearTimeout(this.timers.check);
    if (screen === 'in_progress' || screen === 'automatic_setup')
      this.after('stall', STALL_MS, () => this.set({ stalled: true }));
    if (screen === 'manual_configuration') {
      this.manualSince = performance.now();
      void this.keepChecking();
    }
    if (screen === 'success' || screen === 'error') this.session.clear();
    if (screen === 'success') this.poller?.stop();
    if (screen === 'error') this.retry = () => this.startAgain();
  }

  private startAgain(): void {
    const { domain } = this.state;
    this.restart();
    if (domain === null) return;
    this.set({ input: domain });
    void this.analyse(domain);
  }

  /** While the customer has the records before them, each one's status is fresh. */
  private async keepChecking(): Promise<void> {
    if (this.ended || this.state.screen !== 'manual_configuration') return;
    if (!document.hidden && !this.state.busy) await this.checkRecords();
    const often = performance.now() - this.manualSince < OFTEN_FOR_MS;
    this.after('check', often ? CHECK_OFTEN_MS : CHECK_SELDOM_MS, () => void this.keepChecking());
  }

  private async checkRecords(): Promise<void> {
    const { connection } = this.state;
    if (connection === null) return;
    try {
      await this.api.checkRecords(connection.id);
      this.set({ reached: true });
    } catch (error) {
      if (isOver(error as Failure)) this.fail(error as Failure, () => undefined);
    }
    if (!this.state.busy) this.poller?.now();
  }

  /** The connection as it is after that check. Where it cannot be read, the poller reads it later. */
  private async refresh(): Promise<void> {
    const { connection } = this.state;
    if (connection === null) return;
    try {
      const polled = await this.api.poll(connection.id, true);
      if (polled.connection !== null) this.show({ connection: polled.connection });
    } catch (error) {
      if (isOver(error as Failure)) this.fail(error as Failure, () => undefined);
    }
  }

  private fail(failure: Failure, retry: () => void): void {
    if (this.ended) return;
    this.set({ busy: false, resuming: false });
    if (isOver(failure)) {
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
      this.set({ screen: 'enter_domain', fault: faultOf(problem?.code ?? '', problem?.suggestion) });
      return;
    }
    this.retry = retry;
    this.set({ screen: 'error', trouble: troubleOf(failure) });
  }

  private after(name: 'read' | 'stall' | 'check', ms: number, action: () => void): void {
    clearTimeout(this.timers[name]);
    if (!this.ended) this.timers[name] = setTimeout(action, ms);
  }

  private keep(): void {
    const { domain, connection, added, byHand } = this.state;
    if (domain !== null) this.session.write({ domain, id: connection?.id ?? null, added, byHand });
  }

  private set(change: Partial<State>): void {
    if (this.ended) return;
    const before = this.state;
    this.state = { ...before, ...change };
    this.changed(before);
  }
}

const isOver = ({ status }: Failure): boolean => status === 401 || status === 403;

function troubleOf({ code, status }: Failure): Trouble {
  if (code === 'HostnameConflict') return 'held';
  if (code === 'QuotaExceeded') return 'quota';
  return status === 0 ? 'reach' : 'other';
}

/** A HostnameConflict of one's own names the connection to go on with. */
function ownConnection({ code, details }: Failure): string | null {
  if (code !== 'HostnameConflict') return null;
  return (details as { connection_id?: string | null } | null)?.connection_id ?? null;
}

const RESERVED = ['reserved', 'public_suffix', 'own_host', 'wildcard'];

function faultOf(code: string, suggestion: string | undefined): Fault {
  const key = code === 'empty' ? 'faultEmpty' : RESERVED.indexOf(code) === -1 ? 'faultShape' : 'faultReserved';
  return { key, suggestion: suggestion ?? null };
}
