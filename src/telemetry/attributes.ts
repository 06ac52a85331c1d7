/** Values that an attribute may have. Any other value is left out. */
type Rule = (value: unknown) => boolean;

const text =
  (pattern: RegExp): Rule =>
  (value) =>
    typeof value === 'string' && value.length <= 100 && pattern.test(value);
const count: Rule = (value) => Number.isInteger(value) && (value as number) >= 0;
const WORD = /^[A-Za-z][\w.]*$/;

/**
 * Every attribute that a span may have (docs/traces.md). None can hold a hostname, a URL, a secret or a tenant's text:
 * the values are numbers, ids that we created, and words of our own.
 */
export const ATTRIBUTES = {
  'http.request.method': text(/^[A-Z]{1,10}$/),
  'http.route': text(/^(unmatched|\/[\w/:.{}*\\-]*)$/),
  'http.response.status_code': count,
  'error.type': text(/^[\w.-]+$/),
  'svc.workflow': text(WORD),
  'svc.activity': text(WORD),
  'svc.attempt': count,
  'svc.local': (value) => typeof value === 'boolean',
  'svc.message': text(WORD),
  'svc.messages': count,
  'svc.object_id': text(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
  'svc.outcome': text(WORD),
  'svc.provider': text(/^[a-z\d_]+$/),
  'svc.query': text(WORD),
} as const satisfies Record<string, Rule>;

export type AttributeName = keyof typeof ATTRIBUTES;
export type Attributes = Partial<Record<AttributeName, string | number | boolean | undefined>>;
type Kept = Partial<Record<AttributeName, string | number | boolean>>;

/** Returns the attributes that the list allows. Every attribute of every span passes through this function. */
export const allowed = (given: Attributes): Kept =>
  Object.fromEntries(
    Object.entries(given).filter(([name, value]) => (ATTRIBUTES as Record<string, Rule>)[name]?.(value) === true),
  );

/** Every span, by its kind: its name, whose parts are attributes, and its kind in OpenTelemetry. */
export const SPANS = {
  request: { name: '{http.request.method} {http.route}', kind: 'SERVER' },
  send: { name: 'send {svc.workflow} {svc.message}', kind: 'PRODUCER' },
  workflow: { name: 'workflow {svc.workflow}', kind: 'CONSUMER' },
  activity: { name: 'activity {svc.activity}', kind: 'INTERNAL' },
  dns: { name: 'dns {svc.query}', kind: 'CLIENT' },
  provider: { name: 'provider {svc.provider} {http.request.method}', kind: 'CLIENT' },
  webhook: { name: 'webhook', kind: 'CLIENT' },
} as const;

export type SpanType = keyof typeof SPANS;

/** Returns the name of a span. It contains only values that the list of attributes allows. */
export function spanName(type: SpanType, attributes: Attributes): string {
  const kept = allowed(attributes);
  return SPANS[type].name.replaceAll(/\{([\w.]+)\}/g, (_, name: AttributeName) => String(kept[name] ?? 'unknown'));
}
