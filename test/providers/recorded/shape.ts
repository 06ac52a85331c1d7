import { parseXml, type XmlElement } from '../../../src/providers/toolkit/xml.ts';

/**
 * Returns the positions at which an answer lacks something of the recorded one: a key, or the kind of its value.
 * Additional data is ignored. Each item of a list must have the shape of a recorded one.
 */
export function shapeDifferences(recorded: unknown, answered: unknown, at = '$'): string[] {
  const [want, have] = [kindOf(recorded), kindOf(answered)];
  if (want !== have) return [`${at} is ${have}, recorded as ${want}`];
  if (Array.isArray(recorded) && Array.isArray(answered)) {
    if (recorded.length > 0 && answered.length === 0) return [`${at} is an empty list`];
    return answered.flatMap((item, i) => {
      const faults = recorded.map((one) => shapeDifferences(one, item, `${at}[${i}]`));
      return faults.length === 0 || faults.some((one) => one.length === 0) ? [] : (faults[0] ?? []);
    });
  }
  if (want !== 'object') return [];
  return Object.entries(recorded as object).flatMap(([key, value]) =>
    Object.hasOwn(answered as object, key)
      ? shapeDifferences(value, (answered as Record<string, unknown>)[key], `${at}.${key}`)
      : [`${at}.${key} is missing`],
  );
}

/** Compares the shape of XML: elements by name and attributes by name. */
export function xmlDifferences(recorded: string, answered: string): string[] {
  const [want, have] = [parseXml(recorded), parseXml(answered)];
  if (!want) throw new Error('The recorded answer is not well-formed.');
  return have ? elementDifferences(want, have) : ['The answer is not well-formed XML.'];
}

function elementDifferences(want: XmlElement, have: XmlElement, at = ''): string[] {
  if (want.name !== have.name) return [`${at}/${have.name}, recorded as ${want.name}`];
  const path = `${at}/${want.name}`;
  return [
    ...[...want.attributes.keys()].filter((name) => !have.attributes.has(name)).map((name) => `${path} lacks @${name}`),
    ...want.children.flatMap((child) => {
      const same = have.children.filter(({ name }) => name === child.name);
      const faults = same.map((one) => elementDifferences(child, one, path));
      if (faults.length === 0) return [`${path} lacks ${child.name}`];
      return faults.some((one) => one.length === 0) ? [] : (faults[0] ?? []);
    }),
  ];
}

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value);
