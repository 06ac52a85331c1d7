import { connect } from 'node:net';

/**
 * Sends one request after the other over several connections, each with the same body and without a valid credential, until
 * this process is stopped. It is a separate process, so that it does not slow the measured caller.
 */
const [portText, connectionsText, kind = ''] = process.argv.slice(2);
const SIZE = 510_000;
const BODIES: Readonly<Record<string, string>> = {
  nested: '['.repeat(SIZE),
  wide: `[${'1,'.repeat(SIZE / 2 - 1)}1]`,
  text: `"${'x'.repeat(SIZE)}"`,
  small: '{}',
};
const body = BODIES[kind];
if (body === undefined) throw new Error(`There is no body "${kind}".`);
const request = [
  'POST /v1/batches HTTP/1.1',
  'Host: 127.0.0.1',
  'Content-Type: application/json',
  `Content-Length: ${body.length}`,
  '',
  body,
].join('\r\n');

let answered = 0;
process.on('SIGTERM', () => {
  process.stdout.write(`${answered}\n`);
  process.exit(0);
});
for (let n = 0; n < Number(connectionsText); n++) open();

/** Opens a connection, and opens it again after it was closed. */
function open(): void {
  const socket = connect(Number(portText), '127.0.0.1', () => socket.write(request));
  socket.on('data', () => {
    answered++;
    socket.write(request);
  });
  socket.on('error', () => undefined);
  socket.once('close', () => setTimeout(open, 10));
}
