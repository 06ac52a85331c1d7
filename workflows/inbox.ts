import { CancellationScope, condition, setHandler } from '@temporalio/workflow';
import type { VerifyOutcome } from '../src/domain/connection/snapshot.ts';
import { archiveSignal, credentialsChangedSignal, touchSignal, verifyUpdate } from './messages.ts';

interface Request {
  answer?: VerifyOutcome;
}

/** Queues messages for the workflow's loop, so that they never act concurrently. Signals of one kind merge. */
export class Inbox {
  private archive = false;
  private stale = false;
  private touch: boolean;
  private requests: Request[] = [];
  private closingAnswer: VerifyOutcome | undefined;
  /** Number of phases that run, including cancelled ones that have not ended. */
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

  /** Whether the queue holds a message that the loop always takes; a touch can wait for the next phase. */
  get hasUrgentMessage(): boolean {
    return this.archive || this.stale || this.requests.length > 0;
  }

  takeArchive(): boolean {
    const taken = this.archive;
    this.archive = false;
    return taken;
  }

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

  /** Takes all requests to verify. Callers who ask during a check share the result of the next one. */
  takeRequests(): { answer: (outcome: VerifyOutcome) => void } | undefined {
    if (this.requests.length === 0) return undefined;
    const taken = this.requests;
    this.requests = [];
    return { answer: (outcome) => taken.forEach((request) => (request.answer = outcome)) };
  }

  /** Answers all requests with the same outcome from now on, because no further check follows. */
  close(answer: VerifyOutcome): void {
    this.closingAnswer = answer;
    this.takeRequests()?.answer(answer);
  }

  /** Runs the phase until it ends or a message cancels it (undefined). The next phase resumes from the row. */
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

  /** Whether no phase runs, cancelled ones included. */
  get isIdle(): boolean {
    return this.running === 0;
  }

  /** Waits until no phase runs, or until an urgent message arrives. */
  async idleOrMessage(): Promise<void> {
    await condition(() => this.isIdle || this.hasUrgentMessage);
  }
}
