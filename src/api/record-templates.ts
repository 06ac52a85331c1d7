import { isIPv4, isIPv6 } from 'node:net';
import type { Problem } from '../domain/errors.ts';
import type { DnsRecord, RecordType } from '../domain/record.ts';
import type { EdgeTargets } from '../domain/connection/edge-addresses.ts';
import {
  desiredRecords,
  namesInBraces,
  unknownVariables,
  type TemplateRecord,
  type TemplateSubject,
} from '../domain/connection/template.ts';
import { ACME_LABEL } from '../domain/certificate/dns-validation.ts';
import { CHALLENGE_LABEL } from '../domain/connection/challenge.ts';
import { isOwnVariable, ownNames } from '../domain/connection/variables.ts';
import { isPointer } from '../domain/zone/zone-record.ts';

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
  const [sample] = desiredRecords([{ ...line, when: undefined }], sampleFor(line), SAMPLE_EDGE);
  const problems: Problem[] = [];
  if (line.host !== '@' && (sample === undefined || line.host.endsWith('.') || !isName(sample.host)))
    problems.push(problem('host', 'host', 'must be @ or a name relative to the hostname.'));
  // The values of a connection's own variables are known when it is created.
  if (sample !== undefined && !namesInBraces(line.value).some(isOwnVariable) && !FITS[line.type](sample.value))
    problems.push(problem('value', 'value', `is not a valid value for a ${line.type} record.`));
  const reserved = sample && whyReserved(sample);
  if (reserved) problems.push(problem(line.type === 'NS' ? 'type' : 'host', 'reserved_record', reserved));
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

const sampleFor = ({ host, value }: TemplateRecord): TemplateSubject => {
  const own = ownNames(namesInBraces(`${host} ${value}`));
  return { ...SAMPLE, variables: Object.fromEntries(own.map((name) => [name, 'x'])) };
};

const RESERVED_LABELS: ReadonlySet<string> = new Set([CHALLENGE_LABEL, ACME_LABEL]);

/** Returns why no template may have the record: it could delegate a name, or prove ownership to another party. */
function whyReserved({ host, type }: Pick<DnsRecord, 'host' | 'type'>): string | null {
  if (type === 'NS') return 'records of the type NS are not allowed.';
  const label = host.split('.').find((one) => RESERVED_LABELS.has(one));
  return label === undefined ? null : `the label ${label} is reserved for proofs of ownership.`;
}

/** Longest value of a record after its variables are filled in. */
const LONGEST_VALUE = 4_096;

/** The first label of a wildcard, which variables can bring into names, is a valid one (RFC 4592). */
const withoutStar = (name: string): string => name.replace(/^\*\./, '');

/** Returns the problems of a connection's records after its variables are filled in. */
export function recordProblems(
  records: readonly DnsRecord[],
  { hostname, serve }: { hostname: string; serve: boolean },
  path: string,
): Problem[] {
  const problem = (code: string, message: string): Problem => ({ path, code, message: `${path}: ${message}` });
  return records.flatMap((record) => {
    const { host, type, value } = record;
    const reserved = whyReserved(record);
    if (reserved !== null) return [problem('reserved_record', reserved)];
    if (!serve && host === hostname && isPointer(record))
      return [problem('reserved_record', `with serve: false, no ${type} record is allowed at ${hostname} itself.`)];
    if (!isName(withoutStar(host))) return [problem('host', `${host} is not a name.`)];
    if (value.length > LONGEST_VALUE || !FITS[type](withoutStar(value)))
      return [problem('value', `the value of ${host} is not valid for a ${type} record.`)];
    return [];
  });
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
