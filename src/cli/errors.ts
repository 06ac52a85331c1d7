/** What the operator asked for in a way that cannot be understood; told in one sentence, with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What cannot be done, although it was understood; told in one sentence, with exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
