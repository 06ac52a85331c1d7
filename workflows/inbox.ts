import { CancellationScope, condition, setHandler } from '@temporalio/workflow';
import type { VerifyOutcome } from '../src/domain/connection/snapshot.ts';
import { archiveSignal, credentialsChangedSignal, touchSignal, verifyUpdate } from './messages.ts';

interface Request {
  answer?: VerifyOutcome;
}

/**
 * Where messages wait. Handlers only put them here; the workflow's one loop takes them out, so two messages never act
 * at once. Signals of a kind fold into one: a storm of touches is one touch.
 */
export class Inbox {
  private archive = false;
  private stale = false;
  private touch: boolean;
  private requests: Request[] = [];
  private closingAnswer: VerifyOutcome | undefined;
  /** Phases that run, or were told to stop and have not stopped yet. */
  private running = 0;

  constructor(carried: { touched: boolean } = { touched: false }) {
    this.touch = carried.touched;
    setHandler(archiveSignal, () => void (this.archive = true));
    setHandler(touchSignal, () => void (this.touch = true));
    setHandler(credentialsChangedSignal, () => {
      this.stale = true;
      this.touch = true;
    });
    setHandler(verifyUpdate, async () => {
      if (this.closingAnswer !== undefined) return this.closingAnswer;
      const request: Request = {};
      this.requests.push(request);
      await condition(() => request.answer !== undefined);
      return request.answer as VerifyOutcome;
    });
  }

  get hasMessage(): boolean {
    return this.archive || this.touch || this.requests.length > 0;
  }

  /** Something waits that the loop takes out in any case; a touch can wait for the next phase. */
  get hasUrgentMessage(): boolean {
    return this.archive || this.stale || this.requests.length > 0;
  }

  takeArchive(): boolean {
    const taken = this.archive;
    this.archive = false;
    return taken;
  }

  /** What we know of the connection is out of date. */
  takeStale(): boolean {
    const taken = this.stale;
    this.stale = false;
    return taken;
  }

  takeTouch(): boolean {
    const taken = this.touch;
    this.touch = false;
    return taken;
  }

  /** Every caller who asked while one check was under way gets the answer of the next. */
  takeRequests(): { answer: (outcome: VerifyOutcome) => void } | undefined {
    if (this.requests.length === 0) return undefined;
    const taken = this.requests;
    this.requests = [];
    return { answer: (outcome) => taken.forEach((request) => (request.answer = outcome)) };
  }

  /** No check follows any more: callers who have asked for one, or will while we clean up, get this answer and need not wait. */
  close(answer: VerifyOutcome): void {
    this.closingAnswer = answer;
    this.takeRequests()?.answer(answer);
  }

  /** Runs the phase until it ends or a message arrives; then cancels it and gives nothing, for the phase can be resumed from the row. */
  async interruptible<T>(phase: () => Promise<T>): Promise<T | undefined> {
    return CancellationScope.cancellable(async () => {
      this.running++;
      const ended = phase().finally(() => this.running--);
      try {
        return await Promise.race([ended, condition(() => this.hasMessage).then(() => undefined)]);
      } finally {
        CancellationScope.current().cancel();
      }
    });
  }

  /** Nothing that was told to stop goes on any more. */
  get isIdle(): boolean {
    return this.running === 0;
  }

  /** Until nothing goes on any more, or until a message comes that need not wait for that. */
  async idleOrMessage(): Promise<void> {
    await condition(() => this.isIdle || this.hasUrgentMessage);
  }
}
