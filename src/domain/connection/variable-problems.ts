import type { Problem } from '../errors.ts';
import type { Kind } from './connection.ts';
import { namesInBraces, type TemplateRecord } from './template.ts';
import { ownNames, type Variables } from './variables.ts';

/** Returns the names of the variables that a template uses: for hostnames of one kind, or for all. */
function variablesOf(template: readonly TemplateRecord[], kind?: Kind): Set<string> {
  const lines = template.filter(({ when }) => kind === undefined || when === undefined || when === kind);
  const names = lines.flatMap(({ host, value }) => [...namesInBraces(host), ...namesInBraces(value)]);
  return new Set(ownNames(names));
}

/** Returns the problems of given variables: each one that the template needs and does not get, or gets and does not use. */
export function variableProblems(
  template: readonly TemplateRecord[],
  kind: Kind,
  given: Variables,
  path: string,
): Problem[] {
  const used = variablesOf(template);
  const missing = [...variablesOf(template, kind)].filter((name) => !Object.hasOwn(given, name));
  const unused = Object.keys(given).filter((name) => !used.has(name));
  const problem = (name: string, code: string, message: string): Problem => ({
    path: `${path}.${name}`,
    code,
    message: `${path}.${name}: ${message}`,
  });
  return [
    ...missing.map((name) => problem(name, 'missing_variable', "the application's record_template needs it.")),
    ...unused.map((name) => problem(name, 'unknown_variable', "the application's record_template does not use it.")),
  ];
}
