import { hash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { Position } from '../../db/edge/feed.ts';
import type { AdmissionChange } from '../../domain/edge/admission.ts';
import { changeOf, lineOf, parsedLine, textOf } from '../journal-line.ts';

/** Far more than any line has. */
const MAX_LINE = 65_536;

/**
 * Lines of the feed, next to the changes, which have the form of the journal's lines. `hello` is the first. `certificate`
 * names the connection of a certificate that following changes use. `loaded`: everything up to now was sent. `batch` asks
 * for an acknowledgement. `at`: the position. `lease` answers a request to renew; `wait` does so without a lease.
 */
const Control = z.union([
  z.tuple([z.literal('hello'), z.uuid(), z.string()]),
  z.tuple([z.literal('certificate'), z.uuid(), z.uuid()]),
  z.tuple([z.literal('loaded')]),
  z.tuple([z.literal('batch'), z.number()]),
  z.tuple([z.literal('at'), z.string(), z.string()]),
  z.tuple([z.literal('lease'), z.number()]),
  z.tuple([z.literal('wait'), z.number()]),
  z.tuple([z.literal('drain'), z.boolean()]),
]);
export type Control = z.infer<typeof Control>;

export type FeedLine = { change: AdmissionChange } | { control: Control };

/** Parses a line of the feed; undefined if a later version wrote it. */
export function feedLineIn(text: string): FeedLine | undefined {
  const value: unknown = JSON.parse(text);
  const line = parsedLine(value);
  if (line !== undefined) return line[0] === 'name' || line[0] === 'origin' ? { change: changeOf(line) } : undefined;
  const control = Control.safeParse(value).data;
  return control && { control };
}

export const controlText = (...lines: readonly Control[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** Returns changes as text. `owners` has the connection of each certificate among them. */
export const changesText = (changes: readonly AdmissionChange[], owners: ReadonlyMap<string, string>): string =>
  controlText(...[...owners].map(([certificate, connection]): Control => ['certificate', certificate, connection])) +
  textOf(changes.map(lineOf));

export const atLine = ({ epoch, after }: Position): Control => ['at', epoch, after];

/** Returns the last line of a part of the feed: a digest of the lines before it. */
const endOf = (text: string): string => `${JSON.stringify(['end', hash('sha256', text, 'base64url')])}\n`;

/** Whether a line is the end of a part. */
export const isEnd = (line: string): boolean => line.startsWith('["end",');

/** Whether the end belongs to these lines, all of them and in this order. */
export const fits = (end: string, lines: readonly string[]): boolean =>
  endOf(lines.map((line) => `${line}\n`).join('')) === `${end}\n`;

/**
 * Compresses a part of the feed by itself, with its end. A gzip file may have several members (RFC 1952, section 2.2),
 * so the same bytes can be sent to every edge, wherever its stream is.
 */
export const member = (text: string): Buffer => gzipSync(text + endOf(text), { level: 6 });

/** Yields the lines of each chunk as it arrives. */
export async function* linesIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  const text = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + text.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) throw new RangeError('A line is too long.');
    yield lines;
  }
  if (rest !== '') yield [rest];
}
