import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spf } from 'mailauth/lib/spf/index.js';
import type { Lookup } from '../../src/domain/observation/alias-path.ts';

const lines = (file: string): string[] =>
  readFileSync(join(import.meta.dirname, file), 'utf8').split('\n').filter((line) => line !== ''); // prettier-ignore

/** SPF policies as real domains publish them, with addresses and names from the documentation ranges. */
export const SPF_CORPUS: readonly string[] = lines('spf-corpus.txt');

/** Policies that the corpus includes, by name. */
const POLICIES: ReadonlyMap<string, string> = new Map(
  lines('spf-policies.txt').map((line) => {
    const [name = '', ...policy] = line.split(' ');
    return [name, policy.join(' ')];
  }),
);

export const corpusLookup: Lookup = (name, type) => {
  const policy = type === 'TXT' ? POLICIES.get(name.toLowerCase()) : undefined;
  return Promise.resolve({ values: policy === undefined ? [] : [policy], cause: null });
};

interface Evaluated {
  result: string;
  /** Null if nothing matched and the policy has no `all`: mailauth then reports no count. */
  lookups: number | null;
}

/**
 * Evaluates a message from this address under this policy of example.com with mailauth, which shares no code with us.
 */
export async function evaluate(policy: string, ip: string): Promise<Evaluated> {
  const missing = (code: string) => Object.assign(new Error(code), { code });
  const resolver = (name: string, type: string): Promise<unknown> => {
    const host = name.toLowerCase().replace(/\.$/, '');
    if (type === 'TXT') {
      const text = host === 'example.com' ? policy : POLICIES.get(host);
      return text === undefined ? Promise.reject(missing('ENOTFOUND')) : Promise.resolve([[text]]);
    }
    if (host.endsWith('_spf.mta.example.net')) return Promise.reject(missing('ENOTFOUND'));
    if (type === 'MX') return Promise.resolve([{ priority: 10, exchange: 'mx.example.com' }]);
    if (type === 'A') return Promise.resolve(host.startsWith('mx.') ? ['192.0.2.250'] : ['192.0.2.251']);
    return Promise.reject(missing('ENODATA'));
  };
  const answer = (await spf({
    sender: 'person@example.com',
    ip,
    helo: 'mail.example.com',
    mta: 'mx.receiver.example',
    resolver: resolver as never,
    maxResolveCount: 1_000,
    maxVoidCount: 1_000,
  })) as { status: { result: string }; lookups?: { count: number } };
  return { result: answer.status.result, lookups: answer.lookups?.count ?? null };
}
