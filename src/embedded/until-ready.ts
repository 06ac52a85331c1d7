import type { Child } from './child.ts';
import { StartError } from './start-error.ts';
import { waitUntil } from './wait-until.ts';

export interface Patience {
  /** Time between two lines that report that we still wait. */
  reportEveryMs: number;
  /** Time without any output of the child after which we give up. */
  silenceMs: number;
}

/** A loaded machine can take minutes to start a server that usually takes a second. */
const PATIENCE: Patience = { reportEveryMs: 15_000, silenceMs: 5 * 60_000 };

/**
 * Waits until a child is ready, however slow this machine is. Only the child's exit ends the wait early, or minutes in
 * which the child prints nothing. `whyItExited` makes an error of the exit.
 */
export async function untilReady(
  child: Child,
  isReady: () => Promise<boolean>,
  { onProgress, whyItExited, patience = PATIENCE }: ReadyOptions,
): Promise<void> {
  const began = performance.now();
  const isReadyOrExited = async () => child.hasExited() || (await isReady());
  while (!(await waitUntil(isReadyOrExited, patience.reportEveryMs))) {
    const seconds = Math.round((performance.now() - began) / 1_000);
    if (performance.now() - Math.max(began, child.lastOutputAt()) > patience.silenceMs)
      throw new StartError(
        `${child.name} was not ready after ${seconds} s and printed nothing in the meantime, so we stopped it. Start again when this machine is less busy.${lastWords(child)}`,
      );
    onProgress(`${child.name} is not ready after ${seconds} s. It is still running, so we keep waiting …`);
  }
  if (child.hasExited()) throw await whyItExited(await child.exited);
}

interface ReadyOptions {
  onProgress: (line: string) => void;
  whyItExited: (how: string) => StartError | Promise<StartError>;
  patience?: Patience | undefined;
}

const lastWords = (child: Child): string =>
  child.lastOutput() === '' ? '' : ` Its last output: ${child.lastOutput()}`;
