import { parseArgs } from 'node:util';
import { nearMiss } from '../domain/near-miss.ts';
import { required, type Described, type Values } from './command.ts';
import { UsageError } from './errors.ts';
import { usageOf } from './help.ts';

/** Parses what follows the command's name. A mistake is reported in one sentence, with the usage. */
export function parseArguments(command: Described, args: readonly string[]): Values {
  try {
    return parse(command, args);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${message}\nUsage: ${usageOf(command)}`);
  }
}

function parse({ options: own, positional, requires }: Described, args: readonly string[]): Values {
  const options = { ...own, json: { type: 'boolean' } } as const;
  refuseUnknown(args, Object.keys(options));
  const { values: named, positionals } = parseArgs({
    args: [...args],
    options,
    strict: true,
    allowPositionals: positional !== undefined,
  });
  if (positionals.length > 1) throw new UsageError(`Give only one ${positional ?? 'value'}.`);
  const values = positional === undefined ? named : { ...named, [positional]: positionals[0] };
  for (const option of requires) required(values, option);
  return values;
}

/** Refuses an option that does not exist, with the option that was probably meant. */
function refuseUnknown(args: readonly string[], known: readonly string[]): void {
  const { tokens } = parseArgs({ args: [...args], strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option' || known.includes(token.name)) continue;
    const meant = nearMiss(token.name, known);
    throw new UsageError(
      `There is no option ${token.rawName}.${meant === undefined ? '' : ` Did you mean --${meant}?`}`,
    );
  }
}
