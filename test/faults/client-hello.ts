import { once } from 'node:events';
import { connect } from 'node:net';

const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
const sized = (bytes: Buffer): Buffer => Buffer.concat([u16(bytes.length), bytes]);
const extension = (type: number, body: Buffer): Buffer => Buffer.concat([u16(type), sized(body)]);

const CIPHERS = Buffer.from('c02bc02fc02cc030', 'hex');
const GROUPS = Buffer.from('001d0017', 'hex');
const SIGNATURES = Buffer.from('0403080404010503', 'hex');

/**
 * Builds the first message of a TLS 1.2 handshake for a hostname (RFC 5246, 7.4.1.2). It makes a server search for a
 * certificate and costs the client no computation, so one processor can flood an edge on another.
 */
export function clientHello(servername: string, random: Buffer): Buffer {
  const name = Buffer.concat([Buffer.from([0]), sized(Buffer.from(servername))]);
  const extensions = Buffer.concat([
    extension(0x0000, sized(name)),
    extension(0x000a, sized(GROUPS)),
    extension(0x000b, Buffer.from([1, 0])),
    extension(0x000d, sized(SIGNATURES)),
  ]);
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    random,
    Buffer.from([0]),
    sized(CIPHERS),
    Buffer.from([1, 0]),
    sized(extensions),
  ]);
  const message = Buffer.concat([Buffer.from([1, 0]), sized(body)]);
  return Buffer.concat([Buffer.from([0x16, 3, 1]), sized(message)]);
}

const ALERT = 0x15;

/** Whether the server refuses the handshake, by an alert or by closing the connection. */
export async function isRefused(port: number, hello: Buffer): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(hello);
  const first = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => null)]);
  socket.destroy();
  return first === null || (first[0] as Buffer)[0] === ALERT;
}
