import { nearMiss } from '../domain/near-miss.ts';
import type { Described, Option } from './command.ts';
import { COMMANDS, GROUPS, type AnyCommand, type CommandGroup } from './commands.ts';

const WIDTH = 80;
const PROGRAM = 'npm run -s cli --';

/** Returns the help for what was typed: one command, the commands that begin like it, or all. */
export function helpFor(words: readonly string[]): string {
  const command = commandIn(words);
  if (command !== undefined) return commandHelp(command);
  const begun = beginningWith(words[0]);
  return begun.length === 0 ? overview() : listOf([{ title: `Commands for ${words[0] ?? ''}`, commands: begun }]);
}

/** Returns the command that the words name: `edges add` rather than `edges`. */
export const commandIn = (args: readonly string[]): AnyCommand | undefined =>
  COMMANDS.filter(({ name }) => name.split(' ').every((word, index) => args[index] === word))
    .toSorted((a, b) => a.name.length - b.name.length)
    .at(-1);

/** Returns a sentence for a command that does not exist, with the command that was probably meant. */
export function noSuchCommand(args: readonly string[]): string {
  const words = args.slice(0, args.findIndex((arg) => arg.startsWith('-')) >>> 0).slice(0, 2);
  const names = COMMANDS.map(({ name }) => name);
  const meant = nearMiss(words.join(' '), names) ?? nearMiss(words[0] ?? '', names);
  const begun = beginningWith(words[0]).map(({ name }) => name);
  const sentences = [
    `There is no command "${words.join(' ')}".`,
    ...(meant !== undefined ? [`Did you mean "${meant}"?`] : []),
    ...(meant === undefined && begun.length > 0 ? [`Commands like it: ${begun.join(', ')}.`] : []),
    'The command help lists all.',
  ];
  return sentences.join(' ');
}

const beginningWith = (word: string | undefined): AnyCommand[] =>
  COMMANDS.filter(({ name }) => word !== undefined && name.split(' ')[0] === word);

const overview = (): string =>
  [
    `Usage: ${PROGRAM} COMMAND [OPTIONS]`,
    '',
    listOf(GROUPS),
    `Help for one command: ${PROGRAM} COMMAND --help`,
    'Every command accepts --json, which prints one JSON object for programs.',
    'In containers: docker compose run --rm cli COMMAND',
    '',
  ].join('\n');

function listOf(groups: readonly CommandGroup[]): string {
  const rows = groups.flatMap(({ commands }) => commands);
  const width = Math.max(...rows.map(({ name }) => name.length)) + 2;
  const section = ({ title, commands }: CommandGroup): string =>
    [title, ...commands.map(({ name, summary }) => row(name, summary, width)), ''].join('\n');
  return groups.map(section).join('\n');
}

/** Returns the help for one command: usage, description, options and examples. */
export function commandHelp(command: Described): string {
  const { summary, details, options, examples } = command;
  const described = Object.entries(options).map(([name, option]) => [spelled(name, option), option.help] as const);
  const rows = [...described, ['--json', 'Print one JSON object instead of text'] as const];
  const width = Math.max(...rows.map(([option]) => option.length)) + 2;
  return [
    ...wrapped(`Usage: ${usageOf(command)}`, WIDTH - 7, ARGUMENT).map(
      (line, index) => (index === 0 ? '' : '       ') + line,
    ),
    '',
    ...wrapped(`${summary}.${details === undefined ? '' : ` ${details}`}`, WIDTH),
    '',
    'Options',
    ...rows.map(([option, text]) => row(option, text, width)),
    '',
    examples.length === 1 ? 'Example' : 'Examples',
    ...examples.flatMap((example) => folded(`${PROGRAM} ${example}`)),
    '',
  ].join('\n');
}

/** Returns the command with its arguments. Optional ones are in brackets. */
export function usageOf({ name, options, positional, requires }: Described): string {
  const argument = (option: string, text: string): string => (requires.includes(option) ? text : `[${text}]`);
  const given = Object.entries(options).map(([option, descriptor]) => argument(option, spelled(option, descriptor)));
  return [name, ...(positional === undefined ? [] : [argument(positional, positional)]), ...given, '[--json]'].join(
    ' ',
  );
}

const spelled = (name: string, { value }: Option): string => `--${name}${value === undefined ? '' : ` ${value}`}`;

/** Returns a row of two columns. A long text continues in the second column. */
function row(left: string, text: string, width: number): string {
  const indent = 2 + width;
  return wrapped(text, WIDTH - indent)
    .map((line, index) => (index === 0 ? `  ${left.padEnd(width)}` : ' '.repeat(indent)) + line)
    .join('\n');
}

/** Breaks a command line so that a shell can read it, with a backslash at the end of each line but the last. */
function folded(line: string): string[] {
  const lines = wrapped(line, WIDTH - 8, ARGUMENT);
  return lines.map((part, index) => `  ${index === 0 ? '' : '    '}${part}${index < lines.length - 1 ? ' \\' : ''}`);
}

const WORD = /\S+/g;
/** An option with its value, a quoted text, or a word. */
const ARGUMENT = /\[[^\]]*\]|--\S+ '[^']*'|--[\w-]+ [^\s[-]\S*|'[^']*'|\S+/g;

function wrapped(text: string, width: number, unit = WORD): string[] {
  const lines: string[] = [];
  for (const [word] of text.matchAll(unit)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
