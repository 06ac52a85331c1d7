import { governingTag, judgeCaa, type OwnOrders } from './caa.ts';
import {
  METHODS,
  restrictionsOf,
  UNKNOWN_ACCOUNTS,
  type CaaAccounts,
  type IssueValue,
  type OrderingSource,
  type Restriction,
} from './caa-issue.ts';
import type { Finding } from './finding.ts';
import type { CaaObservation } from './observation.ts';
import { TTL_DEFAULT } from '../record.ts';
import { list } from './zone-findings.ts';

/** Returns a finding if CAA keeps a source from ordering; with `advisory`, a warning. */
export function diagnoseCaa(
  caa: CaaObservation,
  source: OrderingSource,
  { advisory = false, ...own }: OwnOrders & { advisory?: boolean },
): Finding[] {
  const judged = judgeCaa(caa, source, own);
  const host = caa.at ?? caa.hostname;
  if (judged.verdict === 'unknown' && judged.property !== null) return [unknownAccount(host, source, judged.property)];
  if (judged.verdict !== 'blocked') return [];
  const { identities, accounts = UNKNOWN_ACCOUNTS } = own;
  const restrictions = judged.excluded.map(({ property }) => property);
  const issuer = restrictions[0]?.issuer ?? identities[0] ?? '';
  const tag = governingTag(caa);
  const allowed = caa.records.filter((record) => record.tag === tag).map(({ value }) => value);
  const found = list(allowed.map((value) => value || 'no certificate authority')) || 'no certificate authority';
  const value = `0 ${tag} "${[issuer, ...parametersFor(source, restrictions, accounts)].join('; ')}"`;
  const reasons = judged.excluded.map(({ property, by }) => exclusion(source, property, by, accounts));
  const isByAccount = judged.excluded.some(({ by }) => by === 'accounturi');
  return [
    {
      code: 'caa_blocked',
      severity: advisory ? 'warning' : 'error',
      message: [`The CAA record at ${host} allows certificates only from ${found}.`, ...new Set(reasons)].join(' '),
      fix: [
        `Add CAA ${value} at ${host}, in addition to the existing records.`,
        ...(isByAccount ? [accountsOf(accounts)] : []),
      ].join(' '),
      record: { host, type: 'CAA', value, ttl: TTL_DEFAULT, priority: null },
      params: { host, value, found },
    },
  ];
}

const NAME_OF = { edge: 'The edge', ordered: 'DNS validation' } as const;

/** Explains which parameter excludes which source, and what the source uses. */
function exclusion(source: OrderingSource, property: IssueValue, by: Restriction, accounts: CaaAccounts): string {
  const values = restrictionsOf(property, by).map((value) => `${by}=${value}`);
  const own = by === 'validationmethods' ? METHODS[source].join(' or ') : accounts[source].join(' or ');
  const uses = own === '' ? 'another account' : own;
  return `${NAME_OF[source]} uses ${uses}, which ${values.join('; ')} excludes.`;
}

/** Returns the parameters of the record to add, which restricts as the customer's records do. */
function parametersFor(source: OrderingSource, restrictions: readonly IssueValue[], accounts: CaaAccounts): string[] {
  const isUsed = (tag: Restriction) => restrictions.some((property) => restrictionsOf(property, tag).length > 0);
  const [account] = accounts[source];
  return [
    ...(isUsed('accounturi') && account !== undefined ? [`accounturi=${account}`] : []),
    ...(isUsed('validationmethods') ? [`validationmethods=${METHODS[source].join(',')}`] : []),
  ];
}

const accountsOf = ({ edge, ordered }: CaaAccounts): string =>
  `Our accounts: ${edge.join(', ') || 'not known here'} (edge); ${ordered.join(', ') || 'not known here'} (DNS validation).`;

/** Warns: the certificate authority knows whose account it is, and refuses if it is not ours. */
function unknownAccount(host: string, source: OrderingSource, property: IssueValue): Finding {
  const account = restrictionsOf(property, 'accounturi').join();
  return {
    code: 'caa_blocked',
    severity: 'warning',
    message: `The CAA record at ${host} allows ${property.issuer} only with accounturi=${account}. ${NAME_OF[source]} uses an account that we cannot compare.`,
    fix: `If ${account} is not an account of this service, add a CAA record at ${host} with the account that its operator names.`,
  };
}
