import { adviceFor, findMissing, installable, TOOLS, type Need, type Probe } from '../runner/needed-tools.ts';
import { POWERDNS_BACKEND, POWERDNS_SCHEMA } from '../runner/system-files.ts';

const labelOf = (need: Need): string =>
  'program' in need ? need.program : 'file' in need ? need.file : need.runs.join(' ');

const COMPLETE: Readonly<Record<string, string>> = {
  'java -version': 'openjdk version "17.0.15" 2025-04-15',
  'go version': 'go version go1.26.8 linux/amd64',
};

/** A machine that has every tool except the given programs, files and commands. */
function machine({
  without = [],
  prints = {},
}: { without?: readonly string[]; prints?: Record<string, string> } = {}): Probe {
  const has = (label: string) => !without.includes(label);
  return {
    hasProgram: has,
    hasFile: has,
    output: (command) => {
      const label = command.join(' ');
      return Promise.resolve(has(label) ? ({ ...COMPLETE, ...prints }[label] ?? '') : undefined);
    },
  };
}

const root = { isRoot: true, hasApt: true };

test('a machine with every tool is complete', async () => {
  expect(await findMissing(TOOLS, machine())).toEqual([]);
});

test.each([POWERDNS_BACKEND, POWERDNS_SCHEMA])(
  'a machine that has pdns_server but not %s gets the package of the SQLite backend',
  async (file) => {
    const missing = await findMissing(TOOLS, machine({ without: [file] }));
    expect(missing.map((tool) => tool.missing)).toEqual([[file]]);
    expect(installable(missing, root)).toContain('pdns-backend-sqlite3');
  },
);

test.each(TOOLS.flatMap(({ needs, debian }) => needs.map((need) => [labelOf(need), debian] as const)))(
  'without %s, exactly the packages that provide it are installed',
  async (label, debian) => {
    expect(installable(await findMissing(TOOLS, machine({ without: [label] })), root)).toEqual(debian);
  },
);

test.each([
  ['java -version', 'openjdk version "11.0.20" 2023-07-18', 'java 17 or newer'],
  ['java -version', 'java version "1.8.0_402"', 'java 17 or newer'],
  ['go version', 'go version go1.19.8 linux/amd64', 'go 1.21 or newer'],
  ['go version', 'something else', 'go 1.21 or newer'],
])('a program that is too old counts as missing: %s prints %s', async (command, printed, named) => {
  const missing = await findMissing(TOOLS, machine({ prints: { [command]: printed } }));
  expect(missing.map((tool) => tool.missing)).toEqual([[named]]);
});

test.each([
  { isRoot: false, hasApt: true },
  { isRoot: true, hasApt: false },
])('nothing is installed for an ordinary user or on another system: %j', async (user) => {
  const missing = await findMissing(TOOLS, machine({ without: ['pdns_server', 'dig'] }));
  expect(installable(missing, user)).toEqual([]);
  expect(missing.map(adviceFor)).toEqual([
    expect.stringMatching(/^pdns_server is missing: .*\(on Debian: pdns-server, pdns-backend-sqlite3\)\.$/),
    expect.stringMatching(/^dig is missing: .*\(on Debian: bind9, bind9-dnsutils\)\.$/),
  ]);
});

test('on macOS the advice is to run the tests on Linux', async () => {
  const [first] = await findMissing(TOOLS, machine({ without: ['/proc/self/stat'] }));
  expect(first && adviceFor(first)).toContain('Run the tests on Linux');
});
