import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ProviderDouble } from './doubles/double.ts';
import { startDoubleOf } from './every-double.ts';
import type { RecordedCall, RecordedCalls } from './recorded/recorded-calls.ts';
import { shapeDifferences, xmlDifferences } from './recorded/shape.ts';

const NOT_TABLES = ['recorded-calls', 'shape'];
const slugs = readdirSync(join(__dirname, 'recorded'))
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => !NOT_TABLES.includes(name));

test.each(slugs)('the double of %s gives the recorded answers of the real API', async (slug) => {
  const { recorded } = (await import(`./recorded/${slug}.ts`)) as { recorded: RecordedCalls };
  const double = await startDoubleOf(slug);
  double.addZone(recorded.zone, recorded.seed);
  try {
    const kept = new Map<string, string>();
    for (const call of recorded.calls) {
      expect({ call: call.call, ...(await faultsOf(call, { double, recorded, kept })) }).toEqual({
        call: call.call,
        status: call.status,
        faults: [],
      });
    }
  } finally {
    await double.stop();
  }
});

interface Replay {
  double: ProviderDouble;
  recorded: RecordedCalls;
  kept: Map<string, string>;
}

async function faultsOf(call: RecordedCall, { double, recorded, kept }: Replay) {
  const filled = call.call.replaceAll(/\{(\w+)\}/g, (_, name: string) => kept.get(name) ?? `{${name}}`);
  const [method = '', path = ''] = filled.split(' ');
  const query = recorded.query === undefined ? '' : `${path.includes('?') ? '&' : '?'}${recorded.query}`;
  const url = `${new URL(double.url).origin}${path}${query}`;
  const body = call.body === undefined || typeof call.body === 'string' ? call.body : JSON.stringify(call.body);
  const response = await fetch(url, {
    method,
    headers: {
      ...(typeof call.body === 'object' ? { 'content-type': 'application/json' } : {}),
      ...recorded.headers(double, { method, url, body: body ?? '' }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  for (const [name, pointer] of Object.entries(call.keep ?? {})) kept.set(name, String(valueAt(text, pointer)));
  return { status: response.status, faults: call.answer === undefined ? [] : differences(call.answer, text) };
}

const differences = (answer: unknown, text: string): string[] =>
  typeof answer === 'string' ? xmlDifferences(answer, text) : shapeDifferences(answer, JSON.parse(text));

/** Returns the value at a path such as `records.0.id`. */
const valueAt = (text: string, pointer: string): unknown =>
  pointer.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], JSON.parse(text));
