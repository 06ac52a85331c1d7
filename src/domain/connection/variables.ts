/** Values of a connection for its application's template, by name. A template uses one as `{var.name}`. */
export type Variables = Readonly<Record<string, string>>;

export const VARIABLE_NAME = /^[a-z][a-z0-9_]{0,31}$/;
export const MOST_VARIABLES = 32;
export const LONGEST_VARIABLE = 1_024;

const PREFIX = 'var.';

/** Whether a name in braces is that of a connection's own variable. */
export const isOwnVariable = (name: string): boolean =>
  name.startsWith(PREFIX) && VARIABLE_NAME.test(name.slice(PREFIX.length));

/** Returns the names of a connection's own variables, as the connection gives them, among names in braces. */
export const ownNames = (names: readonly string[]): string[] =>
  names.filter(isOwnVariable).map((name) => name.slice(PREFIX.length));

/** Returns the variables as a template names them. */
export const inBraces = (variables: Variables): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [`${PREFIX}${name}`, value]));
