/**
 * Something an operator has to put right before we can run: its message is one sentence that says what happened, to
 * what, and what to do, so it is printed without a stack.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** A full disk looks different from every program that meets it; all of them say one of these. */
export const saysDiskIsFull = (output: string): boolean => /ENOSPC|no space left on device/i.test(output);

export const diskIsFull = (folder: string, cause?: unknown): StartError =>
  new StartError(`No space is left on the device that holds ${folder}. Free some, then start again.`, { cause });

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * The code of a system error (ENOENT, EACCES and the like), or of a Postgres error. The shape is asked and not the
 * class, because the system's errors may be of another realm's class.
 */
export const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
