import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { readJson, writePrivate } from '../main/local-keys.ts';
import { mintWebhookSecret, signatureHeaders } from '../webhooks/sign.ts';
import type { ApiAccess } from './api-access.ts';
import type { Output } from './command.ts';

const Event = z.looseObject({ id: z.uuid(), type: z.string(), sequence: z.number().nullable() });
type Event = z.infer<typeof Event>;
const Page = z.object({ data: z.array(Event), next_cursor: z.string().nullable() });
const Kept = z.object({ secret: z.string() });

const POLL_EVERY_MS = 500;
const TIMEOUT_MS = 15_000;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Polls the API for events and posts each to a URL, as the service would. Ends with Ctrl-C. */
export async function listenForEvents(api: ApiAccess, url: URL, kinds: ReadonlySet<string> | null): Promise<Output> {
  const secret = await ownSecret(api.dataDir);
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  const seen = new Set((await newest(api, new Set())).map(({ id }) => id));
  print(`Forwarding events of ${api.baseUrl} to ${url.href}. Signing secret: ${secret}`);
  while (!stopping.signal.aborted) {
    for (const event of await newest(api, seen)) {
      seen.add(event.id);
      if (kinds === null || kinds.has(event.type)) print(await forward(event, url, secret));
    }
    await pause(POLL_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
  return { json: { stopped: true }, lines: [] };
}

/** Returns the signing secret of this machine. It never changes, so a receiver is configured only once. */
async function ownSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, 'listen.json');
  const kept = Kept.safeParse(await readJson(file)).data;
  if (kept) return kept.secret;
  const secret = mintWebhookSecret();
  await writePrivate(file, { secret });
  return secret;
}

/** Returns unseen events, oldest first. Reads pages until a known event appears. The first call reads only one page. */
async function newest(api: ApiAccess, seen: ReadonlySet<string>): Promise<Event[]> {
  const found: Event[] = [];
  let cursor: string | null = null;
  do {
    const page: z.infer<typeof Page> = Page.parse(
      await api.call('GET', `/events?limit=100${cursor === null ? '' : `&cursor=${cursor}`}`),
    );
    const fresh = page.data.filter(({ id }) => !seen.has(id));
    found.push(...fresh);
    cursor = seen.size > 0 && fresh.length === page.data.length ? page.next_cursor : null;
  } while (cursor !== null);
  return found.reverse();
}

async function forward(event: Event, url: URL, secret: string): Promise<string> {
  const body = Buffer.from(JSON.stringify(event));
  const began = performance.now();
  const timestamp = Math.floor(Date.now() / 1_000);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-svc-event-id': event.id,
    'x-svc-event-type': event.type,
    'x-svc-attempt': '1',
    ...signatureHeaders({ eventId: event.id, body, timestamp }, { current: secret, next: null }),
  };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }).then(
    ({ status }) => String(status),
    () => 'no answer',
  );
  const number = event.sequence === null ? '' : ` #${event.sequence}`;
  return `${new Date().toISOString()}  ${event.type}${number}  ${event.id}  → ${answer}  ${Math.round(performance.now() - began)} ms`;
}
