import type { DnsRecord } from '../../domain/record.ts';
import type { ZoneRecord } from '../../domain/zone/zone-record.ts';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ProviderError } from '../provider-error.ts';
import { caaParts, fromCaaParts, srvParts } from '../toolkit/rdata.ts';
import { splitTxt, txtFromBytes, txtToBytes } from '../toolkit/txt.ts';
import { decodeName, encodeName, TYPE, words } from './message.ts';

type Value = Pick<ZoneRecord, 'type' | 'value' | 'priority'>;

export function encodeData({ type, value, priority }: Pick<DnsRecord, 'type' | 'value' | 'priority'>): {
  type: number;
  data: Buffer;
} {
  switch (type) {
    case 'A':
    case 'AAAA':
      if (isIP(value) === 0) throw new ProviderError('validation', `${value} is not an IP address.`);
      return { type: TYPE[type], data: Buffer.from(ipaddr.parse(value).toByteArray()) };
    case 'CNAME':
    case 'NS':
      return { type: TYPE[type], data: encodeName(value) };
    case 'MX':
      return { type: TYPE.MX, data: Buffer.concat([words(priority ?? 0), encodeName(value)]) };
    case 'TXT':
      return { type: TYPE.TXT, data: Buffer.concat(splitTxt(value).map(lengthPrefixed)) };
    case 'SRV': {
      const { weight, port, target } = srvParts(value);
      return { type: TYPE.SRV, data: Buffer.concat([words(priority ?? 0, weight, port), encodeName(target)]) };
    }
    case 'CAA': {
      const { flags, tag, value: content } = caaParts(value);
      return {
        type: TYPE.CAA,
        data: Buffer.concat([Buffer.from([flags]), lengthPrefixed(Buffer.from(tag)), txtToBytes(content)]),
      };
    }
    case 'ALIAS':
      throw new ProviderError('validation', 'ALIAS is not a DNS type and cannot be sent in an update.');
  }
}

export function decodeData(type: number, data: Buffer): Value {
  switch (type) {
    case TYPE.A:
      return { type: 'A', value: ipaddr.fromByteArray([...data]).toString(), priority: null };
    case TYPE.AAAA:
      return { type: 'AAAA', value: ipaddr.fromByteArray([...data]).toString(), priority: null };
    case TYPE.CNAME:
      return { type: 'CNAME', value: decodeName(data, 0).name, priority: null };
    case TYPE.NS:
      return { type: 'NS', value: decodeName(data, 0).name, priority: null };
    case TYPE.MX:
      return { type: 'MX', value: decodeName(data, 2).name, priority: data.readUInt16BE(0) };
    case TYPE.TXT:
      return { type: 'TXT', value: txtFromBytes(Buffer.concat(characterStrings(data))), priority: null };
    case TYPE.SRV: {
      const value = `${data.readUInt16BE(2)} ${data.readUInt16BE(4)} ${decodeName(data, 6).name}`;
      return { type: 'SRV', value, priority: data.readUInt16BE(0) };
    }
    case TYPE.CAA: {
      const end = 2 + data.readUInt8(1);
      const [flags, tag] = [data.readUInt8(0), data.toString('latin1', 2, end)];
      return fromCaaParts({ flags, tag, value: txtFromBytes(data.subarray(end)) });
    }
    default:
      return { type: 'OTHER', value: `TYPE${type} ${data.toString('hex')}`, priority: null };
  }
}

function characterStrings(data: Buffer): Buffer[] {
  const strings: Buffer[] = [];
  for (let offset = 0; offset < data.length; offset += 1 + data.readUInt8(offset)) {
    strings.push(data.subarray(offset + 1, offset + 1 + data.readUInt8(offset)));
  }
  return strings;
}

const lengthPrefixed = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([bytes.length]), bytes]);
