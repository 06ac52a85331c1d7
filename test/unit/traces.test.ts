import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTraceparent, traceparentOf } from '../../src/domain/trace-context.ts';
import { allowed, ATTRIBUTES, spanName, SPANS } from '../../src/telemetry/attributes.ts';
import { tracingSettings } from '../../src/telemetry/settings.ts';

test('a span keeps only listed attributes, and only values of their form', () => {
  const given = {
    'svc.provider': 'vultr',
    'svc.attempt': 2,
    'svc.object_id': 'shop.example.com',
    'http.route': 'https://example.com/?key=1',
    'error.type': 'shop.example.com did not answer',
    hostname: 'shop.example.com',
  };
  expect(allowed(given)).toEqual({ 'svc.provider': 'vultr', 'svc.attempt': 2 });
});

test('a span name contains only values that its attributes may have', () => {
  expect(spanName('request', { 'http.request.method': 'GET', 'http.route': '/v1/x?secret=1' })).toBe('GET unknown');
});

test('docs/traces.md lists exactly the attributes and the spans that exist', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/traces.md'), 'utf8');
  const firstCells = [...page.matchAll(/^\| `([^`]+)` +\|/gm)].map((match) => match[1]);
  const names = Object.values(SPANS).map(({ name }) => name.replaceAll(/\{(\w+\.)+(\w+)\}/g, '{$2}'));
  expect(firstCells).toEqual(expect.arrayContaining([...Object.keys(ATTRIBUTES), ...names]));
  const svc = firstCells.filter((cell) => cell?.startsWith('svc.') === true);
  expect(svc.toSorted()).toEqual(Object.keys(ATTRIBUTES).filter((name) => name.startsWith('svc.')).toSorted()); // prettier-ignore
});

test('a traceparent is accepted only in the form of version 00, and never with an id of zeros', () => {
  const valid = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
  expect(traceparentOf(parseTraceparent(valid)!)).toBe(valid);
  const broken = ['', valid.toUpperCase(), `${valid}-x`, valid.replace('b7ad6b7169203331', '0'.repeat(16)), `01${valid.slice(2)}`]; // prettier-ignore
  expect(broken.map(parseTraceparent)).toEqual(broken.map(() => null));
});

test('traces are off without an endpoint, with OTEL_SDK_DISABLED and with OTEL_TRACES_EXPORTER=none', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
  expect(tracingSettings({})).toBeNull();
  expect(tracingSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeNull();
  expect(tracingSettings({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBeNull();
  expect(tracingSettings({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })).toBeNull();
  expect(tracingSettings(endpoint)).toMatchObject({ OTEL_TRACES_SAMPLER: 'parentbased_always_on' });
  expect(() => tracingSettings({ ...endpoint, OTEL_TRACES_SAMPLER: 'often' })).toThrow(/^OTEL_TRACES_SAMPLER: must be/);
});
