import { auditOperator } from '../../db/audit.ts';
import { pauseProvider, resumeProvider } from '../../db/zone/paused-providers.ts';
import { providerOf } from '../../providers/registry.ts';
import { REASON, reasonIn, required, type Command, type Values } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';

const PROVIDER = { provider: { type: 'string', value: 'SLUG', help: 'The DNS provider, such as cloudflare' } } as const;

const pause: Command = {
  name: 'provider pause',
  summary: 'Stops all calls to a DNS provider',
  details: 'Setups continue manually, removals wait, and credentials are kept.',
  options: { ...PROVIDER, ...REASON },
  examples: ["provider pause --provider cloudflare --reason 'Their API fails'"],
  requires: ['provider', 'reason'],
  async run(values, { pool }) {
    const [provider, reason] = [slugIn(values), reasonIn(values)];
    await pool.transaction(async (tx) => {
      const now = new Date();
      await pauseProvider(tx, { provider, reason, paused_at: now });
      await auditOperator(tx, { tenant_id: null, target_id: null, target: provider, action: 'provider.paused', reason, now }); // prettier-ignore
    });
    return {
      json: { provider, paused: true, reason },
      lines: [`${provider} is paused. Run provider resume to call it again.`],
    };
  },
};

const resume: Command = {
  name: 'provider resume',
  summary: 'Resumes calls to a paused DNS provider',
  options: PROVIDER,
  examples: ['provider resume --provider cloudflare'],
  requires: ['provider'],
  async run(values, { pool }) {
    const provider = slugIn(values);
    await pool.transaction(async (tx) => {
      if (!(await resumeProvider(tx, provider))) throw new CommandError(`${provider} is not paused.`);
      const now = new Date();
      await auditOperator(tx, { tenant_id: null, target_id: null, target: provider, action: 'provider.resumed', now });
    });
    return { json: { provider, paused: false }, lines: [`${provider} is no longer paused.`] };
  },
};

export const providerCommands = [pause, resume];

function slugIn(values: Values): string {
  const slug = required(values, 'provider');
  if (providerOf(slug) === undefined)
    throw new UsageError(`There is no provider "${slug}". See docs/providers.md for the list.`);
  return slug;
}
