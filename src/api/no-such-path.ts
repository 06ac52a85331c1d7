import { ServiceError } from '../domain/errors.ts';

const MOST_LISTED = 30;

/** Refuses a path that no route has, and tells which paths begin like it: most such paths are misspelt at their end. */
export function noSuchPath(path: string, known: readonly string[]): ServiceError {
  const asked = segmentsOf(path);
  let below: string[] = [];
  let paths = known;
  for (let depth = 1; depth <= asked.length; depth++) {
    const deeper = paths.filter((one) => matches(segmentsOf(one), asked.slice(0, depth)));
    if (deeper.length === 0) break;
    paths = deeper;
    below = asked.slice(0, depth);
  }
  const listed = [...paths].sort().slice(0, MOST_LISTED);
  const where = below.length === 0 ? 'There is' : `Below /${templateOf(below, listed[0])} there is`;
  return new ServiceError('not_found', `No such path. ${where} ${listed.join(', ')}.`);
}

const segmentsOf = (path: string): string[] => path.split('/').filter(Boolean);

/** As the route spells it, with {braces}: what the caller wrote is not repeated to it. */
const templateOf = (prefix: readonly string[], path = ''): string => segmentsOf(path).slice(0, prefix.length).join('/');

const matches = (template: readonly string[], prefix: readonly string[]): boolean =>
  prefix.every((segment, index) => {
    const own = template[index];
    return own !== undefined && (/^\{\w+\}$/.test(own) || own.toLowerCase() === segment.toLowerCase());
  });
