import { escapeHtml } from '../domain/html.ts';
import { referredName, type Parameter, type Schema } from './document.ts';

/** Deeper objects are shown as JSON in the example only. No schema of ours is deeper. */
const MAX_DEPTH = 6;

/** Returns the fields of an object as a list. Objects inside it are folded. */
export function fieldsHtml(schema: Schema, depth = 0): string {
  const { properties = {}, required = [] } = schema;
  const rows = Object.entries(properties).map(([name, field]) =>
    rowHtml({ name, field, isRequired: required.includes(name), depth }),
  );
  return rows.length > 0 ? `<ul class="fields">${rows.join('')}</ul>` : '';
}

/** Returns parameters as a list like that of fields. */
export const parametersHtml = (parameters: readonly Parameter[]): string =>
  `<ul class="fields">${parameters
    .map(({ name, in: where, required, description, schema }) =>
      rowHtml({
        name,
        where,
        field: { ...schema, ...(description !== undefined && { description }) },
        isRequired: required,
        depth: 0,
      }),
    )
    .join('')}</ul>`;

interface Row {
  name: string;
  field: Schema;
  isRequired: boolean;
  depth: number;
  where?: Parameter['in'];
}

function rowHtml({ name, field, isRequired, depth, where }: Row): string {
  const inner = innerObject(field);
  const data = where === undefined ? '' : ` data-in="${where}" data-name="${escapeHtml(name)}"`;
  return [
    `<li${data}><p class="name"><code>${escapeHtml(name)}</code> <span class="type">${typeHtml(field)}</span>`,
    isRequired ? ' <span class="required">required</span>' : '',
    '</p>',
    describeHtml(field),
    inner !== undefined && depth < MAX_DEPTH
      ? `<details><summary>Fields of <code>${escapeHtml(name)}</code></summary>${fieldsHtml(inner, depth + 1)}</details>`
      : '',
    '</li>',
  ].join('');
}

/** Returns the object whose fields belong to a field: itself, an item of its list, or its form that is not null. */
function innerObject(field: Schema): Schema | undefined {
  if (field.properties !== undefined) return field;
  if (field.items !== undefined) return innerObject(field.items);
  return field.anyOf?.map(innerObject).find((inner) => inner !== undefined);
}

/** Returns the type in words: `string`, `list of Record`, `integer or null`. Names of components are links. */
export function typeHtml(schema: Schema): string {
  const name = referredName(schema);
  if (name !== undefined) return `<a href="#schema-${name}">${name}</a>`;
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeHtml))].join(' or ');
  if (schema.items !== undefined) return `list of ${typeHtml(schema.items)}`;
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  const types = [schema.type ?? 'any value'].flat();
  return types.map((type) => (type === 'string' && schema.format !== undefined ? schema.format : type)).join(' or ');
}

function describeHtml(field: Schema): string {
  const values = valuesOf(field);
  // The document repeats the values in the description, for code generators. The page shows them as a list.
  const text = (field.description ?? '').replace(/ ?One of [^.]*\. New values may be added\./, '').trim();
  const limits = limitsOf(field);
  return [
    text === '' ? '' : `<p>${proseHtml(text)}</p>`,
    values.length > 0
      ? `<p class="values">One of ${values.map((value) => `<code>${escapeHtml(value)}</code>`).join(' ')}</p>`
      : '',
    limits === '' ? '' : `<p class="limits">${escapeHtml(limits)}</p>`,
  ].join('');
}

function valuesOf(field: Schema): string[] {
  const own = (field.enum ?? field['x-known-values'] ?? []).map(String);
  if (own.length > 0) return own;
  return [...(field.items ? [field.items] : []), ...(field.anyOf ?? [])].flatMap(valuesOf);
}

function limitsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems, default: usual }: Schema): string {
  // zod writes the largest safe integer where there is no limit.
  const isLimit = (value: number | undefined) => value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const range = (least: number | undefined, most: number | undefined, unit: string) =>
    isLimit(most) ? `${isLimit(least) ? `${least} to ` : 'at most '}${most}${unit}` : '';
  const parts = [
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
    usual === undefined ? '' : `${JSON.stringify(usual)} by default`,
  ].filter(Boolean);
  const text = parts.join(', ');
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Returns a sentence of the document as HTML. Only code spans have markup. */
export const proseHtml = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
