import { parseArguments } from '../../src/cli/arguments.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { commandIn, helpFor, noSuchCommand } from '../../src/cli/help.ts';

/** Splits a command line like a shell that knows single quotes only. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

const everyHelp = () => [helpFor([]), helpFor(['tenant']), ...COMMANDS.map(({ name }) => helpFor(name.split(' ')))];

test('no line of the help is longer than a terminal is wide', () => {
  const long = everyHelp().flatMap((help) => help.split('\n').filter((line) => line.length > 80));

  expect(long).toEqual([]);
});

test('the help lists every command, and the help of a command shows that command alone', () => {
  const overview = helpFor([]);
  for (const { name } of COMMANDS) expect(overview).toMatch(new RegExp(`^  ${name}  `, 'm'));

  const own = helpFor(['tenant', 'suspend']);
  expect(own).toMatch(/^Usage: tenant suspend --tenant ID --reason TEXT \[--json\]\n/);
  expect(own).not.toContain('tenant create');
  const tenants = helpFor(['tenant']);
  expect(tenants).toContain('tenant create');
  expect(tenants).not.toContain('usage report');
});

test.each(COMMANDS.flatMap((command) => command.examples.map((example) => [example, command] as const)))(
  'the parser accepts the example: %s',
  (example, command) => {
    const words = wordsOf(example);
    expect(commandIn(words)).toBe(command);
    expect(() => parseArguments(command, words.slice(command.name.split(' ').length))).not.toThrow();
  },
);

test('a mistyped command gets the command that was probably meant', () => {
  expect(noSuchCommand(['tenat', 'list'])).toMatch(/^There is no command "tenat list"\. Did you mean "tenant list"\?/);
  expect(noSuchCommand(['statsu', '--json'])).toMatch(/Did you mean "status"\?/);
  expect(noSuchCommand(['dignose', 'shop.example.com'])).toMatch(/Did you mean "diagnose"\?/);
  expect(noSuchCommand(['plan', 'wipe'])).toContain('Commands like it: plan list');
  expect(noSuchCommand(['frobnicate'])).toBe('There is no command "frobnicate". The command help lists all.');
});

test('a mistyped option gets the option that was probably meant, and the usage', () => {
  const parse = (line: string) => () => {
    const words = wordsOf(line);
    const command = commandIn(words)!;
    return parseArguments(command, words.slice(command.name.split(' ').length));
  };

  expect(parse('tenant suspend --tenat x')).toThrow(
    'There is no option --tenat. Did you mean --tenant?\nUsage: tenant suspend --tenant ID --reason TEXT [--json]',
  );
  expect(parse('tenant suspend --owner x')).toThrow(/^There is no option --owner\.\n/);
  expect(parse('tenant suspend --tenant x')).toThrow(/^--reason is missing\.\n/);
  expect(parse('diagnose')).toThrow(/^HOSTNAME is missing\.\n/);
});
