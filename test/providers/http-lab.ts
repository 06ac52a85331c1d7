import type { Account, Credential, Provider } from '../../src/providers/contract.ts';
import { type Fault, startFaultProxy } from './fault-proxy.ts';
import { startProcesses } from './processes.ts';
import type { Disturbance, DnsLab, LabZone, Refusal } from './lab.ts';

/** A provider with an HTTP API: its server, real or double, behind a proxy that can fail. */
export interface HttpServerUnderTest {
  url: string;
  freshZone: (records: Parameters<DnsLab['freshZone']>[0]) => Promise<Pick<LabZone, 'name' | 'dump'>>;
  stop(): Promise<void>;
}

export interface HttpProviderUnderTest {
  provider: Provider;
  /** Opens an account at the proxy. A self-hosted provider gets the URL in its credential, the others as base URL. */
  open(proxyUrl: string): { credential: Credential; stranger: Credential; baseUrl?: string; tokenUrl?: string };
  secrets: readonly string[];
  /** Whether a request changes something, if the method does not show it. */
  isWrite?: (request: { method: string; path: string }) => boolean;
  /** Refusals of this provider. A refusal replaces the common one of the same name. */
  refusals?: readonly HttpRefusal[];
}

type HttpRefusal = Pick<Refusal, 'name' | 'code' | 'retryAfterSeconds'> & {
  answer: Omit<Fault & { kind: 'answer' }, 'kind'>;
};

/** Refusals of gateways in front of any API. The body is HTML or empty, so only the status counts. */
const COMMON: readonly HttpRefusal[] = [
  { name: '401', code: 'auth_failed', answer: { status: 401 } },
  { name: '402', code: 'plan_required', answer: { status: 402 } },
  { name: '403', code: 'forbidden_scope', answer: { status: 403 } },
  { name: '404', code: 'zone_not_found', answer: { status: 404, body: 'Not Found' } },
  { name: '409', code: 'conflict', answer: { status: 409 } },
  { name: '422', code: 'validation', answer: { status: 422 } },
  { name: '429', code: 'rate_limited', answer: { status: 429 } },
  {
    name: '429 with seconds',
    code: 'rate_limited',
    retryAfterSeconds: 17,
    answer: { status: 429, headers: { 'retry-after': '17' } },
  },
  { name: '500', code: 'transient', answer: { status: 500 } },
  { name: '502 in HTML', code: 'transient', answer: { status: 502, body: '<html><body>Bad gateway</body></html>' } },
  { name: '403 in HTML', code: 'transient', answer: { status: 403, body: '<html><body>Blocked</body></html>' } },
  { name: '404 in HTML', code: 'transient', answer: { status: 404, body: '<!DOCTYPE html><html>Not here</html>' } },
  { name: '503', code: 'transient', answer: { status: 503 } },
  { name: 'a redirect', code: 'transient', answer: { status: 302, headers: { location: 'http://127.0.0.1:1/' } } },
];

const DISTURBANCES: Record<Disturbance, Fault> = {
  silence: { kind: 'silence' },
  silence_after_write: { kind: 'silence_after_write' },
  garbage: { kind: 'answer', status: 200, body: '<html>Welcome to the hotel network</html>' },
};

export async function httpLab(
  server: HttpServerUnderTest,
  { provider, open, secrets, refusals = [], isWrite = ({ method }) => method !== 'GET' }: HttpProviderUnderTest,
): Promise<DnsLab> {
  const proxy = await startFaultProxy(server.url, isWrite);
  const { credential, stranger, ...addresses } = open(proxy.url);
  const lines: string[] = [];
  const processes = await startProcesses({ onCall: (line) => lines.push(JSON.stringify(line)) });
  const account = (given: Credential): Account => provider.open(given, { ...processes.next(), ...addresses });
  return {
    descriptor: provider.descriptor,
    freshZone: async (records = []) => ({ ...(await server.freshZone(records)), open: () => account(credential) }),
    strangerTo: () => account(stranger),
    refusals: [...COMMON.filter(({ name }) => !refusals.some((own) => own.name === name)), ...refusals].map(
      ({ answer, ...refusal }) => ({
        ...refusal,
        provoke: () => {
          proxy.fault = { kind: 'answer', ...answer };
          return account(credential);
        },
      }),
    ),
    disturb: (disturbance) => {
      proxy.fault = disturbance && DISTURBANCES[disturbance];
    },
    secrets,
    logLines: () => lines.join('\n'),
    stop: async () => {
      await processes.stop();
      await proxy.stop();
      await server.stop();
    },
  };
}
