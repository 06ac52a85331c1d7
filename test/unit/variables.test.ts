import fc from 'fast-check';
import { desiredRecords, type TemplateRecord } from '../../src/domain/connection/template.ts';
import { variableProblems } from '../../src/domain/connection/variable-problems.ts';
import { isOwnVariable } from '../../src/domain/connection/variables.ts';
import { containsPolicy, mergePolicies } from '../../src/domain/email/spf.ts';

const TEMPLATE: TemplateRecord[] = [
  { host: '{var.selector}._domainkey', type: 'CNAME', value: '{var.key}.dkim.net' },
  { host: '@', type: 'TXT', value: 'site={var.site}', when: 'apex' },
];
const EDGE = { cnameTarget: 'edge.net', ipv4: [], ipv6: [], policy: 'any' } as const;
const SHOP = {
  connectionId: 'id',
  hostname: 'shop.brand.com',
  kind: 'subdomain',
  domain: 'brand.com',
  suffix: 'com',
} as const;

test('a variable is needed where a line for that kind of hostname uses it, and accepted where any line does', () => {
  const codes = (kind: 'apex' | 'subdomain', given: Record<string, string>) =>
    variableProblems(TEMPLATE, kind, given, 'body.variables').map(({ path, code }) => `${code} ${path}`);
  expect(codes('subdomain', { selector: 's', key: 'k' })).toEqual([]);
  expect(codes('subdomain', { selector: 's', key: 'k', site: 'x' })).toEqual([]);
  expect(codes('apex', { selector: 's', key: 'k' })).toEqual(['missing_variable body.variables.site']);
  expect(codes('subdomain', { selector: 's' })).toEqual(['missing_variable body.variables.key']);
  expect(codes('subdomain', { selector: 's', key: 'k', other: 'x' })).toEqual([
    'unknown_variable body.variables.other',
  ]);
  expect(codes('subdomain', { selector: 's', key: 'k', toString: 'x' })).toEqual([
    'unknown_variable body.variables.toString',
  ]);
});

test('a value in braces, like a variable, is not expanded again', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 50 }), (value) => {
      const template: TemplateRecord[] = [{ host: '@', type: 'TXT', value: 'a {var.x} b {hostname}' }];
      const [record] = desiredRecords(template, { ...SHOP, variables: { x: `${value}{hostname}{var.x}` } }, EDGE);
      expect(record?.value).toBe(`a ${value}{hostname}{var.x} b shop.brand.com`);
    }),
  );
});

test('a line whose variable is not given yields no record, and a prototype’s property is no variable', () => {
  expect(desiredRecords(TEMPLATE, SHOP, EDGE)).toEqual([]);
  const template: TemplateRecord[] = [{ host: '@', type: 'TXT', value: '{var.constructor}' }];
  expect(desiredRecords(template, { ...SHOP, variables: {} }, EDGE)).toEqual([]);
  expect(['var.a', 'var.A', 'var.', 'var.a-b', 'hostname'].map(isOwnVariable)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('a sender policy is not required unless its line demands it', () => {
  const lines = (required?: boolean): TemplateRecord[] => [{ host: '@', type: 'TXT', value: 'v=spf1 -all', required }];
  const isRequired = (template: TemplateRecord[]) => desiredRecords(template, SHOP, EDGE)[0]?.required !== false;
  expect([lines(), lines(true), lines(false)].map(isRequired)).toEqual([false, true, false]);
});

test('a merged sender policy contains both, keeps the owner’s all, and merging again changes nothing', () => {
  const terms = fc.array(fc.constantFrom('include:a.net', 'ip4:192.0.2.1', 'mx', 'a:x.net', '-include:b.net'), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(terms, terms, fc.constantFrom('-all', '~all', ''), (owner, wanted, all) => {
      const mine = ['v=spf1', ...owner, all].filter(Boolean).join(' ');
      const theirs = ['v=spf1', ...new Set(wanted), '~all'].join(' ');
      const merged = mergePolicies([mine], theirs);
      expect(containsPolicy([merged], theirs)).toBe(true);
      expect(mergePolicies([merged], theirs)).toBe(merged);
      if (all !== '') expect(merged.endsWith(` ${all}`)).toBe(true);
    }),
  );
  expect(containsPolicy([], 'v=spf1 include:a.net ~all')).toBe(false);
  expect(containsPolicy(['v=spf1 include:a.net -all', 'v=spf1 -all'], 'v=spf1 include:a.net ~all')).toBe(false);
  expect(mergePolicies([], 'v=spf1 include:a.net ~all')).toBe('v=spf1 include:a.net ~all');
});
