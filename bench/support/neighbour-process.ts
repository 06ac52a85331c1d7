import { setTimeout as pause } from 'node:timers/promises';
import { Receiver } from '../../test/support/doubles/receiver.ts';
import { ApiUser } from '../../test/support/fixtures/api-user.ts';
import type { Measured, NeighbourSide } from './neighbour.ts';

/** A small tenant in a process of its own, so that the flood's client does not slow its measurements. */
const side = JSON.parse(process.argv[2] ?? '') as NeighbourSide;
const READ_EVERY_MS = 20;
const GIVE_UP_MS = 120_000;

const user = new ApiUser(side.baseUrl, side);
const receiver = await Receiver.start();
if (side.hasReceiver) await subscribe();
const unread = await user.connect(`read.${side.domain}`);
let made = 0;

process.on('message', (hostnames: number) => void measure(hostnames).then((measured) => process.send?.(measured)));
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

async function subscribe(): Promise<void> {
  const endpoint = { application_id: side.application_id, url: receiver.url };
  const { status, body } = await user.call('POST', '/webhook-endpoints', endpoint);
  if (status !== 201) throw new Error(`POST /webhook-endpoints answered ${status}: ${JSON.stringify(body)}`);
}

/** Connects hostnames one after the other, and reads a connection all the while. */
async function measure(hostnames: number): Promise<Measured> {
  receiver.received.length = 0;
  const done = new AbortController();
  const reading = read(done.signal);
  const lives: number[] = [];
  for (let n = 0; n < hostnames; n++) lives.push(await single());
  await pause(500); // the last events arrive
  done.abort();
  const webhooks = receiver.received.map(({ event, at }) => at - Date.parse(event.timestamp));
  return { lives, webhooks, reads: await reading };
}

/** Returns the time from the create request until a reader sees the connection live. */
async function single(): Promise<number> {
  const began = performance.now();
  const id = await user.connect(`shop-${made++}.${side.domain}`);
  while ((await user.call('GET', `/connections/${id}`)).body['state'] !== 'live') {
    if (performance.now() - began > GIVE_UP_MS) return Infinity;
    await pause(50);
  }
  return performance.now() - began;
}

/** Reads at a steady rate, and does not wait for a slow answer before the next read. */
async function read(end: AbortSignal): Promise<number[]> {
  const answers: Promise<number>[] = [];
  for (let due = performance.now(); !end.aborted; due += READ_EVERY_MS) {
    await pause(Math.max(0, due - performance.now()));
    answers.push(oneRead());
  }
  return Promise.all(answers);
}

async function oneRead(): Promise<number> {
  const began = performance.now();
  const { status } = await user.call('GET', `/connections/${unread}`);
  return status === 200 ? performance.now() - began : Infinity;
}
