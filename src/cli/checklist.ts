import { z } from 'zod';
import { STATES } from '../domain/connection/connection.ts';
import { PROVED, RECORDS_SEEN } from '../domain/connection/state-sets.ts';
import { problemLines } from './command.ts';

export const WatchedConnection = z.looseObject({
  id: z.uuid(),
  hostname: z.string(),
  state: z.enum(STATES),
  serve: z.boolean(),
  setup_type: z.string(),
  error_code: z.string().nullable(),
  records_to_add: z.array(z.object({ type: z.string(), host: z.string(), value: z.string(), status: z.string() })),
  findings: z.array(z.object({ severity: z.string(), message: z.string(), fix: z.string().nullable() })),
});
export type WatchedConnection = z.infer<typeof WatchedConnection>;

/** Returns the progress of a connection, with one line for each step and each record to add. */
export function checklist({
  hostname,
  state,
  serve,
  records_to_add,
  findings,
  error_code,
}: WatchedConnection): string[] {
  const isLive = state === 'live';
  const records = records_to_add.map(
    ({ type, host, value, status }) => `    [${status === 'found' ? 'x' : ' '}] ${type} ${host} ${value}  (${status})`,
  );
  const problems = findings.filter(({ severity }) => severity !== 'info');
  return [
    `${hostname}: ${state}${error_code === null ? '' : ` (${error_code})`}`,
    `[${PROVED.has(state) ? 'x' : ' '}] Ownership is proved.`,
    `[${RECORDS_SEEN.has(state) ? 'x' : ' '}] The records are published.`,
    ...(isLive ? [] : records),
    ...(serve ? [`[${isLive ? 'x' : ' '}] The certificate is issued, and the site is live.`] : []),
    ...problems.flatMap(({ message, fix }) => problemLines(message, fix)),
  ];
}

/** Redraws the lines in place on a terminal. Elsewhere, it writes each new line once. */
export function checklistView(stream: NodeJS.WriteStream): { show(lines: readonly string[]): void } {
  let shown: readonly string[] = [];
  return {
    show(lines) {
      if (lines.join('\n') === shown.join('\n')) return;
      if (stream.isTTY) {
        const width = Math.max(20, stream.columns - 1);
        const up = shown.length === 0 ? '' : `\x1b[${shown.length}A`;
        stream.write(`${up}\x1b[J${lines.map((line) => `${line.slice(0, width)}\n`).join('')}`);
      } else {
        for (const line of lines) if (!shown.includes(line)) stream.write(`${line}\n`);
      }
      shown = lines;
    },
  };
}
