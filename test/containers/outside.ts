import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import { decode, encode, AUTHORITATIVE_ANSWER, type Packet } from 'dns-packet';
import { OUTSIDE } from './network.ts';

/**
 * Runs in the network of the trial and plays the internet: a DNS server that knows no name, so that no lookup waits for a
 * server that does not answer, and a tenant's origin.
 */
const NXDOMAIN = 3;
const dns = createSocket('udp4');
dns.on('message', (message, { port, address }) => {
  const { id, questions } = decode(message);
  const answer: Packet = { type: 'response', id, flags: AUTHORITATIVE_ANSWER | NXDOMAIN, questions };
  dns.send(encode(answer), port, address);
});
dns.bind(53, OUTSIDE.dns);

// Not on port 80, which the edge publishes on every address.
createServer((request, response) => response.end(`origin of ${request.headers.host}\n`)).listen(
  OUTSIDE.originPort,
  OUTSIDE.origin,
);
