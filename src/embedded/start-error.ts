/** A problem that an operator must fix first. Its message states what to do, so it is printed without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Whether a program reports a full disk. Programs use one of these texts. */
export const reportsFullDisk = (output: string): boolean => /ENOSPC|no space left on device/i.test(output);

export const diskIsFull = (folder: string, cause?: unknown): StartError =>
  new StartError(`No space is left on the device with ${folder}. Free some space, then start again.`, { cause });

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns the code of a system or Postgres error. Checks the shape, because the class may be from another realm. */
export const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
