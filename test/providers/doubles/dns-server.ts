import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { AUTHORITATIVE_ANSWER, decode, encode, type Answer, type Packet } from 'dns-packet';
import { unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import type { ProviderDouble, ServedRecord } from './double.ts';

/** Serves a double's zones over UDP and TCP as their authoritative name server, from what stands at this moment. */
export async function serveDns(
  double: Pick<ProviderDouble, 'served'>,
  zones: () => readonly string[],
  { address, port }: { address: string; port: number },
): Promise<{ stop(): Promise<void> }> {
  const reply = (query: Buffer): Buffer | undefined => {
    try {
      return encode(answerTo(decode(query), zones(), double));
    } catch {
      return undefined;
    }
  };
  const udp = createSocket('udp4');
  udp.on('message', (query, { port: from, address: asker }) => {
    const message = reply(query);
    if (message) udp.send(message, from, asker);
  });
  udp.bind(port, address);
  const tcp = createServer((socket) => {
    let pending = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        const end = 2 + pending.readUInt16BE(0);
        const message = reply(pending.subarray(2, end));
        pending = pending.subarray(end);
        if (!message) continue;
        const length = Buffer.alloc(2);
        length.writeUInt16BE(message.length);
        socket.write(Buffer.concat([length, message]));
      }
    });
  });
  tcp.listen(port, address);
  await Promise.all([once(udp, 'listening'), once(tcp, 'listening')]);
  return {
    async stop() {
      udp.close();
      tcp.close();
      await once(tcp, 'close');
    },
  };
}

function answerTo(query: Packet, zones: readonly string[], double: Pick<ProviderDouble, 'served'>): Packet {
  const [question] = query.questions ?? [];
  const head: Packet = { type: 'response', id: query.id ?? 0, questions: query.questions ?? [] };
  const name = question?.name.toLowerCase() ?? '';
  const zone = zones
    .filter((one) => name === one || name.endsWith(`.${one}`))
    .reduce<string | undefined>((best, one) => (best && best.length >= one.length ? best : one), undefined);
  const REFUSED = 5;
  const NXDOMAIN = 3;
  if (!question || zone === undefined) return { ...head, flags: REFUSED };
  const records = double.served(zone);
  const here = records.filter((record) => record.name === name);
  const exists = here.length > 0 || name === zone || records.some((record) => record.name.endsWith(`.${name}`));
  const wanted = here.filter(({ type }) => type === question.type || type === 'CNAME');
  const answers =
    question.type === 'SOA' && name === zone ? [soaOf(zone)] : wanted.flatMap((record) => toAnswer(record));
  return {
    ...head,
    flags: AUTHORITATIVE_ANSWER | (exists ? 0 : NXDOMAIN),
    answers: answers.map((answer) => ({ ...answer, name: question.name })),
    authorities: answers.length === 0 ? [soaOf(zone)] : [],
  };
}

const soaOf = (zone: string): Answer => ({
  type: 'SOA',
  name: zone,
  ttl: 60,
  data: {
    mname: `ns1.${zone}`,
    rname: `hostmaster.${zone}`,
    serial: 1,
    refresh: 3_600,
    retry: 600,
    expire: 86_400,
    minimum: 5,
  },
});

const undot = (text: string): string => text.replace(/\.$/, '');

function toAnswer({ name, type, ttl, rdata }: ServedRecord): Answer[] {
  const words = rdata.trim().split(/\s+/);
  switch (type) {
    case 'A':
    case 'AAAA':
      return [{ type, name, ttl, data: rdata }];
    case 'CNAME':
    case 'NS':
      return [{ type, name, ttl, data: undot(rdata) }];
    case 'TXT':
      return [{ type, name, ttl, data: chunksOf(Buffer.from(unquoteTxt(rdata))) }];
    case 'MX':
      return [{ type, name, ttl, data: { preference: Number(words[0]), exchange: undot(words[1] ?? '') } }];
    default:
      return [];
  }
}

const chunksOf = (bytes: Buffer): Buffer[] =>
  Array.from({ length: Math.max(1, Math.ceil(bytes.length / 255)) }, (_, i) => bytes.subarray(i * 255, i * 255 + 255));
