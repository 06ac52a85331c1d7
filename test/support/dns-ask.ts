import { createResolver, type Reply } from '../../src/dns/resolver.ts';
import type { Question } from '../../src/dns/message.ts';

/** Sends one query to one server with a new resolver, for set-up and for checks of a server's state. */
export async function askOnce(server: { address: string; port: number }, question: Question): Promise<Reply> {
  const resolver = createResolver({ udpMs: 300, udpAttempts: 1, tcpMs: 300, checkMs: 1_000 });
  try {
    return await resolver.ask(server, question, AbortSignal.timeout(1_000));
  } finally {
    resolver.close();
  }
}

/** Whether a DNS server answers at this address, with any answer. */
export async function answersDns(server: { address: string; port: number }): Promise<boolean> {
  const reply = await askOnce(server, { name: 'test', type: 'SOA', recursion: false });
  return reply.ok || (reply.cause !== 'timeout' && reply.cause !== 'unreachable');
}

/** Returns the values at a name from one authoritative server: of this type, or of the CNAME in its place. */
export async function valuesAt(
  server: { address: string; port: number },
  name: string,
  type: Question['type'],
): Promise<string[]> {
  const reply = await askOnce(server, { name, type, recursion: false });
  if (!reply.ok) throw new Error(`The server did not answer for ${name}: ${reply.cause}.`);
  return reply.message.answers.filter((record) => record.name === name).map(({ value }) => value);
}
