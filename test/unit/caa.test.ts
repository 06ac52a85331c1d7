import * as fc from 'fast-check';
import { judgeCaa } from '../../src/domain/observation/caa.ts';
import { diagnoseCaa } from '../../src/domain/observation/caa-findings.ts';
import { parseIssueValue, type OrderingSource } from '../../src/domain/observation/caa-issue.ts';
import { parseCaa } from '../../src/domain/observation/caa-value.ts';
import type { CaaObservation, CaaRecord } from '../../src/domain/observation/observation.ts';

const [EDGE, WORKER, STRANGER] = ['https://ca.test/acct/1', 'https://ca.test/acct/2', 'https://ca.test/acct/3'];
const OWN = { identities: ['ca.test'], accounts: { edge: [EDGE], ordered: [WORKER] } };
const UNKNOWN = { ...OWN, accounts: { edge: [], ordered: [WORKER] } };

const issue = (value: string, tag = 'issue'): CaaRecord => ({ critical: false, tag, value });
const setOf = (records: CaaRecord[], hostname = 'shop.customer.com'): CaaObservation => ({
  hostname,
  outcome: 'found',
  at: 'customer.com',
  records,
  cause: null,
});
const both = (...values: string[]) =>
  (['edge', 'ordered'] as const).map((source) => judgeCaa(setOf(values.map((one) => issue(one))), source, OWN).verdict);

test.each<[string, string[], [edge: string, ordered: string]]>([
  ['without parameters', ['ca.test'], ['allowed', 'allowed']],
  ['the edge’s account', [`ca.test; accounturi=${EDGE}`], ['allowed', 'blocked']],
  ['the worker’s account', [`ca.test; accounturi=${WORKER}`], ['blocked', 'allowed']],
  ['both accounts', [`ca.test; accounturi=${EDGE}`, `ca.test; accounturi=${WORKER}`], ['allowed', 'allowed']],
  ['another account', [`ca.test; accounturi=${STRANGER}`], ['blocked', 'blocked']],
  ['one property with two accounts', [`ca.test; accounturi=${EDGE}; accounturi=${WORKER}`], ['blocked', 'blocked']],
  ['http-01', ['ca.test; validationmethods=http-01'], ['allowed', 'blocked']],
  ['tls-alpn-01', ['ca.test;validationmethods=tls-alpn-01'], ['allowed', 'blocked']],
  ['dns-01, spelled unusually', ['CA.test ; ValidationMethods = dns-01'], ['blocked', 'allowed']],
  ['no method', ['ca.test; validationmethods='], ['blocked', 'blocked']],
  ['an account with a method of the other source', [`ca.test; accounturi=${EDGE}; validationmethods=dns-01`], ['blocked', 'blocked']], // prettier-ignore
  ['a parameter that we do not know', ['ca.test; policy=ev'], ['allowed', 'allowed']],
  ['a malformed parameter', ['ca.test; accounturi'], ['blocked', 'blocked']],
  ['the parameters of another CA', [`other.test; accounturi=${EDGE}`], ['blocked', 'blocked']],
])('CAA with %s allows the edge and DNS validation as RFC 8657 requires', (_what, values, verdicts) => {
  expect(both(...values)).toEqual(verdicts);
});

test('for a wildcard the parameters of issuewild count, and those of issue only without it', () => {
  const judge = (...records: CaaRecord[]) => judgeCaa(setOf(records, '*.customer.com'), 'ordered', OWN).verdict;
  const ours = `ca.test; accounturi=${WORKER}; validationmethods=dns-01`;
  expect(judge(issue('ca.test; validationmethods=http-01'), issue(ours, 'issuewild'))).toBe('allowed');
  expect(judge(issue(ours), issue('ca.test; validationmethods=http-01', 'issuewild'))).toBe('blocked');
  expect(judge(issue(ours))).toBe('allowed');
});

test('an account that we cannot compare blocks nothing and gives a warning, unless it is known to be the other source’s', () => {
  const found = (account: string) => diagnoseCaa(setOf([issue(`ca.test; accounturi=${account}`)]), 'edge', UNKNOWN);
  expect(found(STRANGER)).toMatchObject([{ code: 'caa_blocked', severity: 'warning' }]);
  expect(found(STRANGER)[0]!.message).toContain(STRANGER);
  expect(found(WORKER)).toMatchObject([{ severity: 'error', record: { value: '0 issue "ca.test"' } }]);
});

test('the finding names the parameter, the source and both accounts, and its record restricts as the existing one does', () => {
  const value = `ca.test; accounturi=${WORKER}; validationmethods=http-01,tls-alpn-01`;
  const [finding] = diagnoseCaa(setOf([issue(value)]), 'edge', OWN);
  expect(finding!.message).toContain(`The edge uses ${EDGE}, which accounturi=${WORKER} excludes.`);
  expect(finding!.fix).toContain(`Our accounts: ${EDGE} (edge); ${WORKER} (DNS validation).`);
  expect(finding!.record!.value).toBe(`0 issue "ca.test; accounturi=${EDGE}; validationmethods=http-01,tls-alpn-01"`);
});

const parameter = fc.oneof(
  fc.constantFrom(EDGE, WORKER, STRANGER).map((account) => `accounturi=${account}`),
  fc.subarray(['http-01', 'tls-alpn-01', 'dns-01', 'ca-mail']).map((methods) => `validationmethods=${methods.join()}`),
  fc.constantFrom('policy=ev', 'broken'),
);
const value = fc
  .tuple(fc.constantFrom('ca.test', 'other.test', ''), fc.array(parameter, { maxLength: 3 }))
  .map(([issuer, parameters]) => [issuer, ...parameters].join('; '));
const records = fc.array(
  fc.tuple(value, fc.constantFrom('issue', 'issuewild')).map(([text, tag]) => issue(text, tag)),
  {
    maxLength: 4,
  },
);
const source = fc.constantFrom<OrderingSource>('edge', 'ordered');

test('for any set, adding the record of the fix allows the source, and adding any other property never forbids it', () => {
  fc.assert(
    fc.property(
      records,
      source,
      fc.constantFrom('shop.customer.com', '*.customer.com'),
      value,
      (set, by, host, more) => {
        const verdictOf = (all: CaaRecord[]) => judgeCaa(setOf(all, host), by, OWN).verdict;
        const [finding] = diagnoseCaa(setOf(set, host), by, OWN);
        expect(finding === undefined).toBe(verdictOf(set) === 'allowed');
        if (finding !== undefined) {
          const { tag, value: text } = parseCaa(finding.record!.value)!;
          expect(verdictOf([...set, issue(text, tag)])).toBe('allowed');
        } else if (set.some(({ tag }) => tag === 'issue') && host !== '*.customer.com')
          expect(verdictOf([...set, issue(more)])).toBe('allowed');
      },
    ),
  );
});

test('a parsed value has the issuer in lower case and every parameter, however it is spaced', () => {
  expect(parseIssueValue('  CA.test  ;  a=1;B-c = x=y ; ')).toEqual({
    issuer: 'ca.test',
    parameters: [
      { tag: 'a', value: '1' },
      { tag: 'b-c', value: 'x=y' },
    ],
  });
  expect(parseIssueValue(';')).toBeUndefined();
});
