import type { Schemas } from '../paths.ts';

export type Listed = Schemas['ListedSandboxRecord'];

/** Records with one name and one type, which the API replaces together. */
export interface RecordSet {
  host: string;
  type: string;
  lines: readonly Pick<Listed, 'value' | 'ttl' | 'priority'>[];
  isNew: boolean;
}

export const NEW_RECORD: RecordSet = { host: '', type: 'CNAME', lines: [], isNew: true };

export const hasPriority = (type: string): boolean => type === 'MX' || type === 'SRV';

/** Returns the values as lines of text. The priority of MX and SRV comes first, as in a zone file. */
export const textOf = ({ lines }: RecordSet): string =>
  lines.map(({ value, priority }) => (priority === null ? value : `${priority} ${value}`)).join('\n');

/** Parses lines of text into the records of a name and type. */
export function recordsOf(host: string, type: string, text: string, ttl: number) {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== ''); // prettier-ignore
  return lines.map((line) => {
    const [, priority, value] = (hasPriority(type) && /^(\d{1,5})\s+(.+)$/.exec(line)) || [null, null, line];
    return { host, type, value, ttl, priority: priority === null ? null : Number(priority) };
  });
}
