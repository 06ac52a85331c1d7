import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { wrongWith, type Probe, type ProbeResult } from '../domain/connection/cutover.ts';
import type { TlsAddress } from '../edge/handshake.ts';
import { canonicalAddress, EVERY_NETWORK, parseNetwork } from '../net/address.ts';
import { DialError, resolveAllForDial, resolveForDial, type DialPolicy } from '../net/safe-dial.ts';

/** Access to the edge and to the addresses that resolvers return. */
export interface ProbeAccess {
  /** The edge's TLS listener. Null if this worker does not know it. */
  edge: TlsAddress | null;
  /** Policy for addresses that resolvers return for a tenant's hostname. */
  dial: DialPolicy;
  /** Names and addresses of the edge. A probe may dial them although they are ours. */
  edgeHosts: readonly string[];
}

const LIMIT_MS = 10_000;
/** Part of a response in which the expected text is searched. */
const TEXT_BYTES = 1_048_576;

type Seen = Omit<ProbeResult, 'at' | 'via'>;
interface Asked {
  hostname: string;
  probe: Probe;
  signal: AbortSignal;
}

/** Requests the site from the edge, before the hostname points there. */
export async function probeEdge({ edge }: ProbeAccess, asked: Asked): Promise<Seen> {
  if (edge === null) return failed(null, 'This worker does not know where the edge is. Set EDGE_TLS_ADDRESS.');
  return visit(edge, asked);
}

/** Requests the site at the address that resolvers return. `isCached`: they may still have the old answer. */
export async function probeResolved(access: ProbeAccess, asked: Asked & { isCached: boolean }): Promise<Seen> {
  const { edge, dial } = access;
  if (edge === null) return failed(null, 'This worker does not know where the edge is. Set EDGE_TLS_ADDRESS.');
  const own = await edgeAddresses(access, edge.port);
  try {
    const address = await resolveForDial(asked.hostname, edge.port, withEdge(dial, own, edge.port));
    if (asked.isCached && !own.includes(canonicalAddress(address)))
      return { ...failed(address, 'Resolvers still return the old address.'), verdict: 'unknown' };
    return await visit({ ...edge, host: address }, asked);
  } catch (error) {
    if (!(error instanceof DialError)) throw error;
    // Silent resolvers are no verdict about the site.
    const verdict = asked.isCached || error.code === 'dns_error' ? 'unknown' : 'failed';
    return { ...failed(null, error.message), verdict };
  }
}

/** Returns the addresses of the edge, as resolvers know them. */
async function edgeAddresses({ edgeHosts, dial }: ProbeAccess, port: number): Promise<string[]> {
  // Without `own`, because these are our own.
  const { nameServers } = dial;
  const policy = { allowed: EVERY_NETWORK, ...(nameServers && { nameServers }) };
  const addressesOf = async (host: string): Promise<string[]> =>
    isIP(host) > 0 ? [host] : resolveAllForDial(host, port, policy).catch(() => []);
  return (await Promise.all(edgeHosts.map(addressesOf))).flat().map(canonicalAddress);
}

/** Allows the edge's own addresses, at its own port. */
const withEdge = (dial: DialPolicy, own: readonly string[], edgePort: number): DialPolicy => ({
  ...dial,
  allowed: [...dial.allowed, ...own.map(parseNetwork).filter((network) => network !== undefined)],
  own: {
    isOwn: (address, port) =>
      !(port === edgePort && own.includes(canonicalAddress(address))) && dial.own?.isOwn(address, port) === true,
  },
});

async function visit({ host, port, trust }: TlsAddress, { hostname, probe, signal }: Asked): Promise<Seen> {
  const secureContext = await trust().catch(() => undefined);
  if (secureContext === undefined) return failed(host, 'EDGE_CA_FILE cannot be read.');
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    const response = await get(hostname, probe.path, AbortSignal.any([signal, limit]), () =>
      connect({ host, port, servername: hostname, ...(secureContext && { secureContext }) }),
    );
    const status = response.statusCode ?? 0;
    const text = probe.expect_text === null ? '' : await beginningOf(response);
    response.destroy();
    const message = wrongWith(probe, status, text);
    return { address: host, status, verdict: message === null ? 'ok' : 'failed', message };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return failed(host, 'The site did not answer within 10 s.');
    return failed(host, `The site did not answer: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function get(hostname: string, path: string, signal: AbortSignal, open: () => TLSSocket): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { host: hostname, 'user-agent': 'domain-connection-probe' };
  request({ method: 'GET', path, headers, signal, createConnection: open }).once('response', resolve).once('error', reject).end(); // prettier-ignore
  return promise;
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= TEXT_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

const failed = (address: string | null, message: string): Seen => ({
  address,
  status: null,
  verdict: 'failed',
  message,
});
