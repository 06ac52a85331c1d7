import { failsAt, type WaitFacts } from './deadline.ts';
import type { Finding } from '../observation/finding.ts';

/** What an operator reads of a connection that waits: what was seen, what puts it right, and how long that may take. */
export function statusLine(sentence: string, row: WaitFacts & { findings: readonly Finding[] }): string {
  const fix = row.findings.find((finding) => finding.fix !== null)?.fix;
  const end = failsAt(row);
  return [
    sentence,
    ...(fix === undefined ? [] : [`To put it right: ${fix}`]),
    ...(end === null ? [] : [`Fails at ${end.toISOString().slice(0, 16)}Z unless that happens.`]),
  ].join(' ');
}
