import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP, isIPv6 } from 'node:net';
import { AUTHORITATIVE_ANSWER, decode, encode, type Answer, type Packet } from 'dns-packet';
import { addressesInName, retryInName } from './dial-name.ts';

/** RFC 1035: the name does not exist. */
const NXDOMAIN = 3;

/**
 * Answers the edge's queries for dial names from the names themselves, so it dials exactly the checked addresses. A query
 * for the name of a second attempt shows that the first failed.
 */
export async function startDialResponder(
  host: string,
  port: number,
  onRetry: (retry: string) => void = () => undefined,
): Promise<{ port: number; stop(): Promise<void> }> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  socket.on('message', (bytes, { address, port: from }) => {
    const reply = replyTo(bytes, onRetry);
    if (reply !== undefined) socket.send(reply, from, address);
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  socket.on('error', () => undefined); // the edge repeats a query without an answer
  return {
    port: socket.address().port,
    async stop() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** Returns undefined for anything that is not a query. */
function replyTo(bytes: Buffer, onRetry: (retry: string) => void): Buffer | undefined {
  const query = decoded(bytes);
  const [question, another] = query?.questions ?? [];
  if (query?.type !== 'query' || question === undefined || another !== undefined) return undefined;
  const { name, type } = question;
  const addresses = addressesInName(name);
  const retry = retryInName(name);
  if (retry !== undefined) onRetry(retry);
  const answers = (addresses ?? [])
    .filter((address) => type === (isIP(address) === 6 ? 'AAAA' : 'A'))
    .map((address): Answer => ({ name, type: isIP(address) === 6 ? 'AAAA' : 'A', ttl: 0, data: address }));
  return encode({
    type: 'response',
    ...(query.id === undefined ? {} : { id: query.id }),
    flags: AUTHORITATIVE_ANSWER | (addresses === undefined ? NXDOMAIN : 0),
    questions: [question],
    answers,
  });
}

function decoded(bytes: Buffer): Packet | undefined {
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}
