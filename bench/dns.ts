import { fork } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { Resolver as CAres } from 'node:dns/promises';
import { once } from 'node:events';
import { encode } from 'dns-packet';
import { createResolver } from '../src/dns/resolver.ts';

/**
 * Measures queries per second and core of our resolver next to Node's own (c-ares), in the same run, against a responder in
 * another process. The measure is CPU time of this process, so neither a slow responder nor a busy machine distorts it.
 */
const ADDRESS = '127.0.0.1';
const ROUNDS = 9;
const QUERIES = 20_000;
const CONCURRENCY = 100;
const GOAL = 0.8;

if (process.argv[2] === 'respond') respond();
else await compare();

async function compare(): Promise<void> {
  const responder = fork(import.meta.filename, ['respond']);
  const [port] = (await once(responder, 'message')) as [number];
  const ours = createResolver();
  const cares = new CAres({ timeout: 1_000, tries: 2 });
  cares.setServers([`${ADDRESS}:${port}`]);
  const never = new AbortController().signal;
  const contestants = {
    ours: async (name: string) => {
      const reply = await ours.ask({ address: ADDRESS, port }, { name, type: 'TXT', recursion: true }, never);
      if (!reply.ok) throw new Error(`Our resolver got no answer: ${reply.cause}`);
    },
    'c-ares': async (name: string) => {
      await cares.resolveTxt(name);
    },
  };
  const rates: Record<keyof typeof contestants, number[]> = { ours: [], 'c-ares': [] };
  for (const ask of Object.values(contestants)) await measure(ask);
  for (let round = 0; round < ROUNDS; round++) {
    rates.ours.push(await measure(contestants.ours));
    rates['c-ares'].push(await measure(contestants['c-ares']));
  }
  ours.close();
  responder.kill();
  // Rounds are compared in pairs, so that other load on the machine affects both.
  const ratio = median(rates.ours.map((rate, round) => rate / (rates['c-ares'][round] ?? rate)));
  const row = (who: string, all: number[], compared: number) => ({
    resolver: who,
    'queries/s/core': Math.round(median(all)),
    'µs/query': (1e6 / median(all)).toFixed(1),
    ratio: compared.toFixed(2),
  });
  console.table([row('ours (AA, rcode, TTL, SOA, 0x20)', rates.ours, ratio), row('Node c-ares', rates['c-ares'], 1)]);
  console.log(`Goal: a ratio of at least ${GOAL}. ${ratio >= GOAL ? 'Reached.' : 'Missed.'}`);
}

/** Returns the queries per second of this process' CPU time. */
async function measure(ask: (name: string) => Promise<void>): Promise<number> {
  let next = 0;
  const worker = async () => {
    while (next < QUERIES) await ask(`n${next++}.bench.test`);
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  const { user, system } = process.cpuUsage(before);
  return QUERIES / ((user + system) / 1e6);
}

/** Answers every query with the same TXT record and parses as little of it as possible. */
function respond(): void {
  const whole = encode({
    type: 'response',
    id: 0,
    questions: [],
    answers: [{ type: 'TXT', name: '.', ttl: 60, data: 'a-token-of-the-length-that-tokens-have-0123' }],
  });
  // The answer's owner is a pointer to the question's name.
  const answer = Buffer.concat([Buffer.from([0xc0, 0x0c]), whole.subarray(13)]);
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20, sendBufferSize: 4 << 20 });
  socket.on('message', (query, { port, address }) => {
    let end = 12;
    for (let length = query[end]; length; length = query[end]) end += length + 1;
    const reply = Buffer.concat([query.subarray(0, end + 5), answer]);
    reply.writeUInt16BE(0x8400, 2);
    reply.writeUInt16BE(1, 6);
    reply.writeUInt32BE(0, 8);
    socket.send(reply, port, address);
  });
  socket.bind(0, ADDRESS, () => process.send?.(socket.address().port));
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
