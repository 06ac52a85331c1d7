import type { Purpose } from '../zone/plan.ts';

/** Treatment of our records when a connection is archived. */
interface Offboarding {
  offboarding: 'remove_records' | 'keep_records';
  offboarding_email: 'keep' | 'remove';
}

/** Returns the purposes whose records are removed. Mail stays by default, because its owner usually keeps using it. */
export const purposesToRemove = ({
  offboarding = 'remove_records',
  offboarding_email = 'keep',
}: Partial<Offboarding> = {}): Purpose[] => [
  'certificate',
  ...(offboarding === 'keep_records' ? [] : (['connection'] as const)),
  ...(offboarding_email === 'remove' ? (['email'] as const) : []),
];
