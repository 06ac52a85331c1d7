import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { AUTHORITATIVE_ANSWER, decode, encode, type Answer, type Packet } from 'dns-packet';
import { unquoteTxt } from '../../../src/providers/toolkit/txt.ts';
import { askOnce } from '../../support/dns-ask.ts';
import type { ProviderDouble, ServedRecord } from './double.ts';

/**
 * Serves a double's current zones over UDP and TCP as their authoritative name server, and its own address as that of
 * every name server in the zones. If the apex is an alias, the addresses of its target come from the resolver, as on the
 * providers' servers.
 */
export async function serveDns(
  double: Pick<ProviderDouble, 'served'>,
  zones: () => readonly string[],
  { address, port, resolver }: { address: string; port: number; resolver?: DnsServerAddress | undefined },
): Promise<{ stop(): Promise<void> }> {
  const reply = async (query: Buffer): Promise<Buffer | undefined> => {
    try {
      const asked = decode(query);
      const own = answerForServer(asked, zones(), double, address);
      return encode(own ?? (await withAliases(answerTo(asked, zones(), double), zones(), double, resolver)));
    } catch {
      return undefined;
    }
  };
  const udp = createSocket('udp4');
  udp.on('message', (query, { port: from, address: asker }) => {
    void reply(query).then((message) => message && udp.send(message, from, asker));
  });
  udp.bind(port, address);
  const tcp = createServer((socket) => {
    let pending = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        const end = 2 + pending.readUInt16BE(0);
        void reply(pending.subarray(2, end)).then((message) => {
          if (!message) return;
          const length = Buffer.alloc(2);
          length.writeUInt16BE(message.length);
          socket.write(Buffer.concat([length, message]));
        });
        pending = pending.subarray(end);
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

export interface DnsServerAddress {
  address: string;
  port: number;
}

/** Record types for an alias at the apex; a CNAME there is flattened. */
const FOLLOWS = /^(ALIAS|ANAME|CNAME)$/;

/** Returns the answer, with addresses instead of an alias at the apex. */
async function withAliases(
  answer: Packet,
  zones: readonly string[],
  double: Pick<ProviderDouble, 'served'>,
  resolver: DnsServerAddress | undefined,
): Promise<Packet> {
  const [question] = answer.questions ?? [];
  const zone = zones.find((one) => one === question?.name.toLowerCase());
  if (question === undefined || zone === undefined || !/^A{1,4}$/.test(question.type)) return answer;
  const alias = double.served(zone).find(({ name, type }) => name === zone && FOLLOWS.test(type));
  if (alias === undefined || resolver === undefined) return answer;
  const resolved = await askOnce(resolver, {
    name: undot(alias.rdata),
    type: question.type as 'A' | 'AAAA',
    recursion: true,
  });
  const addresses = resolved.ok ? resolved.message.answers.filter(({ type }) => type === question.type) : [];
  const answers = addresses.map(
    ({ value }) => ({ type: question.type, name: question.name, ttl: alias.ttl, data: value }) as Answer,
  );
  return { ...answer, answers, authorities: answers.length === 0 ? [soaOf(zone)] : [] };
}

/** Returns the answer to a question for the address of a name server of the zones, which is this server. */
function answerForServer(
  query: Packet,
  zones: readonly string[],
  double: Pick<ProviderDouble, 'served'>,
  address: string,
): Packet | undefined {
  const [question] = query.questions ?? [];
  const name = question?.name.toLowerCase();
  const records = zones.flatMap((zone) => double.served(zone).map((record) => ({ ...record, zone })));
  const isServer = records.some(({ type, zone, name: at, rdata }) => type === 'NS' && at === zone && undot(rdata).toLowerCase() === name); // prettier-ignore
  // A zone with records of this name answers for itself.
  if (!question || !isServer || records.some((record) => record.name === name)) return undefined;
  const answers: Answer[] = question.type === 'A' ? [{ type: 'A', name: question.name, ttl: 60, data: address }] : [];
  return { type: 'response', id: query.id ?? 0, questions: [question], flags: AUTHORITATIVE_ANSWER, answers };
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
    case 'SRV': {
      const [priority, weight, port] = words.map(Number);
      return [{ type, name, ttl, data: { priority, weight, port: port ?? 0, target: undot(words[3] ?? '') } }];
    }
    case 'CAA': {
      const [flags = '0', tag = ''] = words;
      const value = unquoteTxt(rdata.trim().slice(`${flags} ${tag} `.length));
      return [{ type, name, ttl, data: { flags: Number(flags), tag: tag as CaaTag, value } }];
    }
    default:
      return [];
  }
}

type CaaTag = Extract<Answer, { type: 'CAA' }>['data']['tag'];

const chunksOf = (bytes: Buffer): Buffer[] =>
  Array.from({ length: Math.max(1, Math.ceil(bytes.length / 255)) }, (_, i) => bytes.subarray(i * 255, i * 255 + 255));
