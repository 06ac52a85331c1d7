/** A mistake in the arguments. Printed as one sentence, with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command that cannot be carried out. Printed as one sentence, with exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
