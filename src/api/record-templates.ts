import { isIPv4, isIPv6 } from 'node:net';
import type { Problem } from '../domain/errors.ts';
import type { RecordType } from '../domain/record.ts';
import type { EdgeTargets } from '../domain/connection/edge-addresses.ts';
import { desiredRecords, unknownVariables, type TemplateRecord } from '../domain/connection/template.ts';

/** Returns all problems of a template. A template without problems expands to valid records for every connection. */
export function templateProblems(template: readonly TemplateRecord[], path: string): Problem[] {
  return [
    ...template.flatMap((line, index) => lineProblems(line, `${path}.${index}`)),
    ...crowdedCnames(template, path),
  ];
}

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i;
const isName = (text: string): boolean =>
  text.length <= 253 &&
  text
    .replace(/\.$/, '')
    .split('.')
    .every((label) => LABEL.test(label));

function lineProblems(line: TemplateRecord, path: string): Problem[] {
  const problem = (field: string, code: string, message: string): Problem => ({
    path: `${path}.${field}`,
    code,
    message: `${path}.${field}: ${message}`,
  });
  for (const field of ['host', 'value'] as const) {
    const unknown = unknownVariables(line[field]);
    if (unknown.length > 0)
      return [
        problem(field, 'unknown_variable', `there is no variable ${unknown.map((name) => `{${name}}`).join(', ')}.`),
      ];
  }
  const [sample] = desiredRecords([{ ...line, when: undefined }], SAMPLE, SAMPLE_EDGE);
  const problems: Problem[] = [];
  if (line.host !== '@' && (sample === undefined || line.host.endsWith('.') || !isName(sample.host)))
    problems.push(problem('host', 'host', 'must be @ or a name relative to the hostname.'));
  if (sample !== undefined && !FITS[line.type](sample.value))
    problems.push(problem('value', 'value', `is not a valid value for a ${line.type} record.`));
  const hasPriority = line.priority !== undefined && line.priority !== null;
  const needsPriority = line.type === 'MX' || line.type === 'SRV';
  if (hasPriority !== needsPriority)
    problems.push(
      problem(
        'priority',
        'priority',
        needsPriority ? `${line.type} needs a priority.` : 'only MX and SRV have a priority.',
      ),
    );
  return problems;
}

/** A name with a CNAME must have no other records (RFC 1034, 3.6.2). */
function crowdedCnames(template: readonly TemplateRecord[], path: string): Problem[] {
  const meet = (a: TemplateRecord, b: TemplateRecord) =>
    a.host.toLowerCase() === b.host.toLowerCase() &&
    (a.when === undefined || b.when === undefined || a.when === b.when);
  return template.flatMap((line, index) =>
    line.type === 'CNAME' && template.some((other, place) => place !== index && meet(line, other))
      ? [
          {
            path: `${path}.${index}`,
            code: 'cname',
            message: `${path}.${index}: a CNAME must be the only record at its host.`,
          },
        ]
      : [],
  );
}

/** Connection with a value for every variable, to test a template. */
const SAMPLE = {
  connectionId: '00000000-0000-7000-8000-000000000000',
  hostname: 'shop.example.com',
  kind: 'subdomain',
  domain: 'example.com',
  suffix: 'com',
} as const;
const SAMPLE_EDGE: EdgeTargets = {
  cnameTarget: 'edge.example.net',
  ipv4: ['192.0.2.1'],
  ipv6: ['2001:db8::1'],
  policy: 'any',
};

const FITS: Record<RecordType, (value: string) => boolean> = {
  A: isIPv4,
  AAAA: (value) => isIPv6(value) && !value.includes('%'),
  CNAME: isName,
  ALIAS: isName,
  MX: isName,
  NS: isName,
  TXT: () => true,
  CAA: (value) => /^\d{1,3} (issue|issuewild|iodef|issuemail) "[^"]*"$/.test(value),
  SRV: (value) => /^\d{1,5} \d{1,5} \S+$/.test(value) && isName(value.split(' ')[2] ?? ''),
};
