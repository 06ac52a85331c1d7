import { stepsOf, type Detail, type StepStatus } from '../../src/console/domain/steps.ts';
import { csvOf } from '../../src/console/csv.ts';
import { urlOf } from '../../src/console/paths.ts';
import { stateName, stateTone } from '../../src/console/states.ts';
import { codeInWords } from '../../src/console/words.ts';
import { STATES, type State } from '../../src/domain/connection/connection.ts';
import { serverAnswers } from '../../src/domain/observation/server-answers.ts';
import { loadConsole, type SdkFile } from '../../src/sdk/files.ts';
import { tempFolder } from '../support/temp-folder.ts';

const KB = 1_000;

describe('the built console', () => {
  let files: SdkFile[];
  beforeAll(async () => {
    files = await loadConsole(await tempFolder());
  });
  const scripts = () => files.filter(({ name }) => name.endsWith('.js'));

  test('has at most 90 kB of JavaScript in all, charts included, compressed with Brotli', async () => {
    const sizes = await Promise.all(scripts().map((file) => file.brotli()));
    expect(sizes.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(90 * KB);
  });

  test('can be cached for ever, because every name contains a hash', () => {
    expect(files.filter(({ immutable }) => !immutable).map(({ name }) => name)).toEqual([]);
  });

  test('loads charts and screens only when they are opened', () => {
    const entry = files.find(({ name }) => /^console-.*\.js$/.test(name))!;
    expect(entry.body.includes('u-over')).toBe(false);
    expect(scripts().some(({ body }) => body.includes('u-over'))).toBe(true);
  });

  test('refers to no other host and evaluates no text', () => {
    const text = scripts()
      .map(({ body }) => body.toString())
      .join('\n');
    expect(new Set(text.match(/https?:\/\/[\w.-]+/g))).toEqual(new Set(['http://www.w3.org']));
    expect(text).not.toMatch(/\beval\(|new Function\(/);
  });
});

describe('CSV', () => {
  test('quotes what needs quotes, and keeps spreadsheets from running values as formulas', () => {
    const rows = [
      ['a,b', 'say "hi"', null, 7],
      ['=1+1', '@x', '-2', '+3'],
    ];
    expect(csvOf(rows)).toBe(`"a,b","say ""hi""",,7\r\n'=1+1,'@x,'-2,'+3\r\n`);
  });
});

describe('addresses', () => {
  test('encode ids and leave out empty fields', () => {
    expect(urlOf('/v1/connections/{id}', { params: { id: '../keys?x' } })).toBe('/v1/connections/..%2Fkeys%3Fx');
    expect(urlOf('/v1/connections', { query: { state: 'live', cursor: undefined, q: '', limit: 50 } })).toBe(
      '/v1/connections?state=live&limit=50',
    );
  });
});

describe('states and codes in words', () => {
  test('every state has a name and a colour, and a later state keeps its own name', () => {
    for (const state of STATES) expect(stateName(state)).not.toBe(state);
    expect([stateTone('live'), stateTone('stalled'), stateTone('failed'), stateTone('pending_ownership')]).toEqual([
      'good',
      'warn',
      'bad',
      'busy',
    ]);
    expect([stateName('paused'), stateTone('paused')]).toEqual(['paused', 'quiet']);
  });

  test('a code keeps its abbreviations', () => {
    expect([codeInWords('caa_blocked'), codeInWords('record_missing')]).toEqual(['CAA blocked', 'Record missing']);
  });
});

describe('the steps of a domain', () => {
  const at = (state: State, fields: Partial<Detail> = {}): StepStatus[] =>
    stepsOf({ state, serve: true, certificate: { status: 'none' }, timeline: [], ...fields } as unknown as Detail).map(
      ({ status }) => status,
    );

  test('follow the state', () => {
    expect(at('pending_ownership')).toEqual(['active', 'todo', 'todo', 'todo']);
    expect(at('propagating')).toEqual(['done', 'active', 'todo', 'todo']);
    expect(at('stalled')).toEqual(['done', 'problem', 'todo', 'todo']);
    expect(at('issuing_cert')).toEqual(['done', 'done', 'active', 'todo']);
    expect(at('live')).toEqual(['done', 'done', 'done', 'done']);
    expect(at('drifted')).toEqual(['done', 'problem', 'done', 'done']);
  });

  test('show where a failed domain ended, and nothing in progress once it is archived', () => {
    const timeline = [{ at: '', kind: 'move', from: 'issuing_cert', to: 'failed', reason: null }];
    expect(at('failed', { timeline })).toEqual(['done', 'done', 'problem', 'todo']);
    expect(at('archived')).toEqual(['todo', 'todo', 'todo', 'todo']);
  });

  test('have no certificate where the service serves nothing, and an early one where it is ordered first', () => {
    expect(at('propagating', { serve: false })).toEqual(['done', 'active', 'todo']);
    const certificate = { status: 'issued' } as Detail['certificate'];
    expect(at('propagating', { certificate })).toEqual(['done', 'active', 'done', 'todo']);
  });
});

describe('answers of name servers', () => {
  const server = (name: string | null, address: string) => ({ name, address, port: 53 });
  const answered = (...records: { type: string; value: string }[]) => ({ outcome: 'answered', records });
  const evidence = {
    names: [
      {
        name: 'shop.brand.test',
        servers: [
          {
            server: server('ns1.brand.test', '192.0.2.1'),
            answers: { A: answered({ type: 'CNAME', value: 'edge.test' }) },
          },
          {
            server: server('ns2.brand.test', '192.0.2.2'),
            answers: { A: { outcome: 'unknown', cause: 'timeout' } },
          },
        ],
        resolvers: [{ server: server(null, '9.9.9.9'), answers: { A: answered() } }],
      },
    ],
  };

  test('are listed by server: values, none, or the reason for silence', () => {
    expect(serverAnswers(evidence, { host: 'shop.brand.test', type: 'CNAME' })).toEqual([
      { server: 'ns1.brand.test', kind: 'authoritative', values: ['edge.test'], cause: null },
      { server: 'ns2.brand.test', kind: 'authoritative', values: null, cause: 'timeout' },
      { server: '9.9.9.9', kind: 'resolver', values: [], cause: null },
    ]);
  });

  test('name the type where another one answers, and are empty for a name that was not asked', () => {
    const alias = { names: [{ name: 'a.test', servers: [{ server: server('ns', '::1'), answers: { A: answered({ type: 'CNAME', value: 'b.test' }) } }], resolvers: [] }] }; // prettier-ignore
    expect(serverAnswers(alias, { host: 'a.test', type: 'ALIAS' })[0]?.values).toEqual(['CNAME b.test']);
    expect(serverAnswers(alias, { host: 'other.test', type: 'A' })).toEqual([]);
    expect(serverAnswers(null, { host: 'a.test', type: 'A' })).toEqual([]);
  });
});
