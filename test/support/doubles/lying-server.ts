import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { AUTHORITATIVE_ANSWER, TRUNCATED_RESPONSE, decode, encode, type Answer } from 'dns-packet';
import { RCODE } from '../../../src/dns/message.ts';

/** A DNS server that answers as a test scripts it: true or false, immediately, late or never. */
export interface LyingServer {
  address: string;
  port: number;
  /** Every question that arrived, in lower case. */
  asked: Asked[];
  /** Uses this script from now on. */
  answerWith(story: Story): void;
  stop(): Promise<void>;
}

export interface Asked {
  name: string;
  type: string;
  /** Name as it was on the wire. */
  spelling: string;
  id: number;
  transport: 'udp' | 'tcp';
  recursion: boolean;
  checkingDisabled: boolean;
  edns: boolean;
  sourcePort: number;
}

/** Returns the replies to send, in order; undefined means no reply. */
export type Story = (asked: Asked) => Lie | Lie[] | undefined;

export interface Lie {
  answers?: Answer[];
  authorities?: Answer[];
  additionals?: Answer[];
  rcode?: number;
  /** True by default. */
  authoritative?: boolean;
  truncated?: boolean;
  authenticated?: boolean;
  /** Forged values. */
  id?: number;
  questionName?: string;
  questionType?: 'A' | 'TXT';
  fromAnotherPort?: boolean;
  raw?: Buffer;
  /** Over TCP: bytes of the message that are sent before the server stops sending. */
  stopAfter?: number;
}

const AD = 1 << 5;

/** Returns a script in which these names have one address each and no other name exists. */
export const addresses =
  (known: Readonly<Record<string, string>>): Story =>
  ({ type, name }) => {
    const data = known[name];
    if (data === undefined) return { rcode: RCODE.NXDOMAIN };
    return { answers: type === 'A' ? [{ type: 'A', name, ttl: 0, data }] : [] };
  };

export async function startLyingServer(
  address: string,
  port: number,
  { tcp = true }: { tcp?: boolean } = {},
): Promise<LyingServer> {
  const asked: Asked[] = [];
  let story: Story = () => undefined;
  const udp = createSocket('udp4');
  const stranger = createSocket('udp4');
  const connections = new Set<Socket>();

  const repliesTo = (query: Buffer, transport: 'udp' | 'tcp', sourcePort: number) => {
    const question = read(query, transport, sourcePort);
    asked.push(question);
    return [story(question) ?? []].flat().map((lie) => ({ lie, bytes: compose(lie, question) }));
  };

  udp.on('message', (query, from: RemoteInfo) => {
    for (const { lie, bytes } of repliesTo(query, 'udp', from.port))
      (lie.fromAnotherPort ? stranger : udp).send(bytes, from.port, from.address);
  });

  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (data: Buffer) => {
      for (const { lie, bytes } of repliesTo(data.subarray(2), 'tcp', socket.remotePort ?? 0)) {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(bytes.length);
        socket.write(Buffer.concat([length, bytes]).subarray(0, lie.stopAfter ?? Infinity));
      }
    });
  });

  udp.bind(port, address);
  stranger.bind(0, address);
  await Promise.all([once(udp, 'listening'), once(stranger, 'listening')]);
  if (tcp) await once(server.listen(port, address), 'listening');

  return {
    address,
    port,
    asked,
    answerWith: (next) => (story = next),
    async stop() {
      for (const connection of connections) connection.destroy();
      await Promise.all([
        new Promise<void>((done) => udp.close(() => done())),
        new Promise<void>((done) => stranger.close(() => done())),
        tcp ? new Promise<void>((done) => server.close(() => done())) : undefined,
      ]);
    },
  };
}

function read(query: Buffer, transport: 'udp' | 'tcp', sourcePort: number): Asked {
  const packet = decode(query);
  const question = packet.questions?.[0];
  if (!question) throw new Error('A query without a question arrived.');
  return {
    name: question.name.toLowerCase(),
    type: question.type,
    spelling: question.name,
    id: packet.id ?? 0,
    transport,
    recursion: packet.flag_rd,
    checkingDisabled: packet.flag_cd,
    edns: (packet.additionals ?? []).some(({ type }) => type === 'OPT'),
    sourcePort,
  };
}

function compose(lie: Lie, asked: Asked): Buffer {
  if (lie.raw) return lie.raw;
  const flags =
    (lie.authoritative === false ? 0 : AUTHORITATIVE_ANSWER) |
    (lie.truncated ? TRUNCATED_RESPONSE : 0) |
    (lie.authenticated ? AD : 0) |
    (lie.rcode ?? 0);
  return encode({
    type: 'response',
    id: lie.id ?? asked.id,
    flags,
    questions: [{ name: lie.questionName ?? asked.spelling, type: lie.questionType ?? (asked.type as 'TXT') }],
    answers: lie.answers ?? [],
    authorities: lie.authorities ?? [],
    additionals: lie.additionals ?? [],
  });
}
