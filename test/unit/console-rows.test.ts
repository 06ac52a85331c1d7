import { readHostnames } from '../../src/cli/hostnames-csv.ts';
import { readCsv, readRows } from '../../src/console/connect/rows.ts';
import { recordsOf, textOf } from '../../src/console/sandbox/record-set.ts';
import { parseGuide } from '../../src/domain/guide.ts';

describe('CSV in the browser', () => {
  test('is read by RFC 4180, with the line of each row', () => {
    const text = '\uFEFFhostname,external_id\r\n"a.test","two\nlines, ""quoted"""\r\n\r\n b.test ,\n,\nc.test';
    expect(readCsv(text)).toEqual([
      { cells: ['hostname', 'external_id'], line: 1 },
      { cells: ['a.test', 'two\nlines, "quoted"'], line: 2 },
      { cells: ['b.test', ''], line: 5 },
      { cells: ['c.test'], line: 7 },
    ]);
    expect(readCsv('')).toEqual([]);
  });

  test.each([
    'a.test,customer-1\nb.test\n',
    'External_ID,Hostname\n7,a.test\n,b.test',
    'hostname,origin_url,redirect.to,redirect.status,redirect.keep_path,metadata.plan\na.test,https://o.example.com,,,,gold\nb.test,,https://c.test,301,TRUE,',
    'hostname,serve,var.selector\na.test,FALSE,s1\nb.test,true,',
    '"a.test" , "x, y"\n"b.test","say ""hi"""',
  ])('gives the entries that the command batch create gives: %j', (text) => {
    const filled = (entry: object) => Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
    const expected = readHostnames(text, (hostname) => hostname).rows.map(({ hostname, external_id, given, serve = true, variables = {} }) => filled({ hostname, external_id, serve, variables, ...given })); // prettier-ignore
    const read = readRows(text, true).rows.map(({ entry }) => ({ serve: true, variables: {}, ...entry }));
    expect(read).toEqual(expected);
    expect(read.length).toBeGreaterThan(1);
  });

  test('marks hostnames that cannot be connected, other claims of a hostname, and columns without a meaning', () => {
    const text = 'hostname,external_id,colour\nA.test,1,red\na.test.,2,\nbad_name.test,3,\nhttps://b.test/x,4,';
    const { rows, unknown } = readRows(text, true);
    expect(unknown).toEqual(['colour']);
    expect(rows.map(({ problem }) => problem)).toEqual([
      null,
      'Line 2 has the same hostname with another external_id. Only one can be connected.',
      'A host name cannot contain an underscore.',
      'Give the host name only, without a scheme. Did you mean b.test?',
    ]);
    expect(readRows('a.test', false).rows[0]?.problem).toMatch(/only in the test environment/);
  });
});

describe('a set of records as text', () => {
  test('has the priority of MX and SRV first, and returns to the same records', () => {
    const records = [
      { host: 'a.test', type: 'MX', value: 'mx1.test', ttl: 300, priority: 10 },
      { host: 'a.test', type: 'MX', value: 'mx2.test', ttl: 300, priority: 0 },
    ];
    const text = textOf({ host: 'a.test', type: 'MX', lines: records, isNew: false });
    expect(text).toBe('10 mx1.test\n0 mx2.test');
    expect(recordsOf('a.test', 'MX', `${text}\n\n`, 300)).toEqual(records);
  });

  test('keeps a number at the beginning of other types', () => {
    expect(recordsOf('a.test', 'CAA', '0 issue "ca.test"', 60)).toEqual([
      { host: 'a.test', type: 'CAA', value: '0 issue "ca.test"', ttl: 60, priority: null },
    ]);
  });
});

describe('guides', () => {
  test('have headings, lists, code, paragraphs, bold, code in a line and links; other text stays text', () => {
    const text = '# Title\n\n1. Open **DNS** at <https://panel.test/a?b=1&c>.\n2. Add `a **b** <c>`.\n\n    run this\n    now\n\nA <b>word</b>\nand more.\n'; // prettier-ignore
    expect(parseGuide(text)).toEqual([
      { kind: 'heading', spans: [{ kind: 'text', text: 'Title' }] },
      {
        kind: 'list',
        items: [
          [
            { kind: 'text', text: 'Open ' },
            { kind: 'strong', text: 'DNS' },
            { kind: 'text', text: ' at ' },
            { kind: 'link', text: 'https://panel.test/a?b=1&c' },
            { kind: 'text', text: '.' },
          ],
          [
            { kind: 'text', text: 'Add ' },
            { kind: 'code', text: 'a **b** <c>' },
            { kind: 'text', text: '.' },
          ],
        ],
      },
      { kind: 'code', text: 'run this\nnow' },
      { kind: 'paragraph', spans: [{ kind: 'text', text: 'A <b>word</b> and more.' }] },
    ]);
  });
});
