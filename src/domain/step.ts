/** Time of a step of a durable sequence, and its end. */
export interface At {
  now: number;
  signal: AbortSignal;
}

/** `ended`: the sequence has an outcome, so no later step runs. */
export type StepResult = 'done' | 'ended';

/** A step must wait, and is repeated. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  /** Null: repeat at the pace of the checks. */
  readonly waitMs: number | null;

  constructor(sentence: string, waitMs: number | null = null) {
    super(sentence);
    this.waitMs = waitMs;
  }
}
