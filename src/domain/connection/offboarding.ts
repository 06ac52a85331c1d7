import type { Purpose } from '../zone/plan.ts';

/** What the tenant wants done with what we wrote, once a connection is archived. */
interface Offboarding {
  offboarding: 'remove_records' | 'keep_records';
  offboarding_email: 'keep' | 'remove';
}

/** Mail stays by default: the domain's owner goes on using it when they no longer use the tenant's product. */
export const purposesToRemove = ({
  offboarding = 'remove_records',
  offboarding_email = 'keep',
}: Partial<Offboarding> = {}): Purpose[] => [
  ...(offboarding === 'keep_records' ? [] : (['connection'] as const)),
  ...(offboarding_email === 'remove' ? (['email'] as const) : []),
];
