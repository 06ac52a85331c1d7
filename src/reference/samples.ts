import { shortBody, type Operation, type Parameter } from './document.ts';

/** Languages of the samples, with the name on their tab. */
export const LANGUAGES = { curl: 'curl', typescript: 'TypeScript', python: 'Python', go: 'Go' } as const;
export type Language = keyof typeof LANGUAGES;

/** Id in samples where an id must be. */
const SOME_ID = '0192f0c1-7a40-7c3e-9f6b-3a1d2b4c5e6f';

interface Sample {
  operation: Operation;
  baseUrl: string;
  url: string;
  body: Readonly<Record<string, unknown>> | null;
  /** Whether the answer has a body. */
  answers: boolean;
}

/** Returns code that sends a first request of this operation, in every language. The key is in the variable KEY. */
export function samplesOf(operation: Operation, baseUrl: string): Record<Language, string> {
  const query = neededOf(operation, 'query').map(({ name }) => `${name}=${SOME_ID}`);
  const path = operation.path.replaceAll(/\{\w+\}/g, SOME_ID);
  const url = baseUrl + path + (query.length > 0 ? `?${query.join('&')}` : '');
  const answers = operation.replies.some(({ schema }) => schema !== undefined);
  const sample: Sample = { operation, baseUrl, url, body: shortBody(operation), answers };
  return { curl: curl(sample), typescript: typescript(sample), python: python(sample), go: go(sample) };
}

const neededOf = ({ parameters }: Operation, where: Parameter['in']): Parameter[] =>
  parameters.filter((parameter) => parameter.in === where && parameter.required);

const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

/** Quotes a text for a POSIX shell. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function curl({ operation: { method }, url, body }: Sample): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${/[?&]/.test(url) ? shellQuoted(url) : url}`,
    '-H "Authorization: Bearer $KEY"',
    ...(body === null
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(body, null, 2))}`]),
  ];
  return lines.join(' \\\n  ');
}

/** Functions of the client for operations, in place of the general `client.POST(path)`. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  post_connections: 'connections.create',
  get_connections: 'connections.list',
  get_connections_by_id: 'connections.get',
  patch_connections_by_id: 'connections.update',
  delete_connections_by_id: 'connections.archive',
  post_connections_by_id_verify: 'connections.verify',
  post_connections_by_id_records_check: 'connections.checkRecords',
  post_connections_by_id_share: 'connections.share',
  post_domains_check: 'domains.check',
  post_tokens: 'tokens.create',
  post_batches: 'batches.create',
  get_batches_by_id: 'batches.get',
  post_applications: 'applications.create',
  get_applications: 'applications.list',
  get_applications_by_id: 'applications.get',
  patch_applications_by_id: 'applications.update',
  'post_webhook-endpoints': 'webhookEndpoints.create',
  'get_webhook-endpoints': 'webhookEndpoints.list',
  'get_webhook-endpoints_by_id': 'webhookEndpoints.get',
  'patch_webhook-endpoints_by_id': 'webhookEndpoints.update',
  'delete_webhook-endpoints_by_id': 'webhookEndpoints.delete',
  'post_webhook-endpoints_by_id_rotate-secret': 'webhookEndpoints.rotateSecret',
  'post_webhook-endpoints_by_id_test': 'webhookEndpoints.test',
  'get_webhook-endpoints_by_id_deliveries': 'webhookEndpoints.deliveries',
  get_deliveries_by_id: 'deliveries.get',
  post_deliveries_by_id_replay: 'deliveries.replay',
  get_events: 'events.list',
  get_events_by_id: 'events.get',
};

function typescript(sample: Sample): string {
  const { operation, baseUrl } = sample;
  const short = FUNCTIONS[operation.id];
  return `import { createClient } from 'domain-connection-client';

const client = createClient({
  baseUrl: '${baseUrl}',
  credential: process.env.KEY ?? '',
});
${short === undefined ? generalCall(sample) : shortCall(short, sample)}
`;
}

function shortCall(short: string, { operation, body, answers }: Sample): string {
  const ids = neededOf(operation, 'path').map(() => `'${SOME_ID}'`);
  const call = `client.${short}(${[...ids, ...(body === null ? [] : [literal(body)])].join(', ')})`;
  if (/\.(list|deliveries)$/.test(short)) return `for await (const item of ${call}) {\n  console.log(item);\n}`;
  return answers ? `const answer = await ${call};\nconsole.log(answer);` : `await ${call};`;
}

function generalCall({ operation, body, answers }: Sample): string {
  const values = (where: 'path' | 'query') => neededOf(operation, where).map(({ name }) => [name, SOME_ID] as const);
  const params = (['path', 'query'] as const).flatMap((where) =>
    values(where).length === 0 ? [] : [[where, Object.fromEntries(values(where))] as const],
  );
  const options = {
    ...(params.length > 0 && { params: Object.fromEntries(params) }),
    ...(body !== null && { body }),
  };
  const given = Object.keys(options).length > 0 ? `, ${literal(options)}` : '';
  const call = `await client.${operation.method}('${operation.path}'${given});`;
  const result = answers ? ['data', 'error'] : ['error'];
  return `const { ${result.join(', ')} } = ${call}\nconsole.log(${result.join(' ?? ')});`;
}

/** Writes a value as JavaScript: keys without quotes where they need none, and strings in single quotes. */
const literal = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_, text: string) => `'${text.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`);

const PYTHON_WORDS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };
const pythonLiteral = (value: unknown): string =>
  JSON.stringify(value, null, 4).replaceAll(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (token) => PYTHON_WORDS[token] ?? token,
  );

function python({ operation: { method }, url, body, answers }: Sample): string {
  const authorization = `"Authorization": f"Bearer {os.environ['KEY']}"`;
  const headers =
    body === null
      ? [`    headers={${authorization}},`]
      : ['    headers={', `        ${authorization},`, '        "Content-Type": "application/json",', '    },'];
  return [
    body === null && !answers ? 'import os' : 'import json\nimport os',
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    `    "${url}",`,
    `    method="${method}",`,
    ...headers,
    ...(body === null ? [] : [`    data=json.dumps(${indented(pythonLiteral(body), '    ')}).encode(),`]),
    ')',
    'with urlopen(request) as response:',
    answers ? '    print(json.load(response))' : '    print(response.status)',
    '',
  ].join('\n');
}

function go({ operation: { method }, url, body }: Sample): string {
  const imports = ['io', 'log', 'net/http', 'os', ...(body === null ? [] : ['strings'])];
  const content = body === null ? 'nil' : 'body';
  return `package main

import (
${imports.map((name) => `\t"${name}"`).join('\n')}
)

func main() {
${body === null ? '' : `\tbody := strings.NewReader(\`${JSON.stringify(body, null, 2)}\`)\n`}\trequest, err := http.NewRequest("${method}", "${url}", ${content})
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))
${body === null ? '' : '\trequest.Header.Set("Content-Type", "application/json")\n'}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	io.Copy(os.Stdout, response.Body)
}
`;
}
