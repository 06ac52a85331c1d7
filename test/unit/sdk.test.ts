import { createHash } from 'node:crypto';
import { FINDING_CODES } from '../../src/domain/observation/finding.ts';
import { PANEL_STEPS } from '../../src/domain/connection/panel.ts';
import { LANGUAGES } from '../../src/locales/all.ts';
import { findingWords, STEP_WORDS } from '../../src/locales/finding-words.ts';
import { chooseLocale, fill, LOCALES } from '../../src/locales/words.ts';
import { loadSdk, type SdkFile } from '../../src/sdk/files.ts';
import { tempFolder } from '../support/temp-folder.ts';

const KB = 1_000;

describe('the browser SDK', () => {
  let files: SdkFile[];
  beforeAll(async () => {
    files = await loadSdk(await tempFolder());
  });
  const named = (name: string) => files.find((file) => file.name === name)!;

  test('is at most 20 kB with its styles and English, compressed as browsers take it', async () => {
    expect((await named('widget.js').brotli()).length).toBeLessThanOrEqual(20 * KB);
    expect((await named('widget.mjs').brotli()).length).toBeLessThanOrEqual(20 * KB);
  });

  test('every other language is at most 2 kB more', async () => {
    const others = files.filter(({ name, type }) => type.startsWith('application/json') && name !== 'manifest.json');
    expect(others).toHaveLength(LOCALES.length - 1);
    for (const file of others) expect((await file.brotli()).length).toBeLessThanOrEqual(2_048);
  });

  test('its manifest names copies that never change, with their integrity', () => {
    const manifest = JSON.parse(named('manifest.json').body.toString()) as Record<string, Record<string, string>>;
    for (const [name, { url = '', integrity }] of Object.entries(manifest)) {
      const { body, immutable } = named(url);
      expect(immutable).toBe(true);
      expect(body).toEqual(named(name).body);
      expect(integrity).toBe(`sha384-${createHash('sha384').update(body).digest('base64')}`);
    }
  });

  test('loads nothing from anybody else: it names no other host', () => {
    const hosts =
      named('widget.js')
        .body.toString()
        .match(/https?:\/\/[\w.-]+/g) ?? [];
    expect(new Set(hosts)).toEqual(new Set(['http://www.w3.org']));
  });
});

describe('languages', () => {
  const { en, ...others } = LANGUAGES;
  const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

  test.each(Object.entries(others))('%s says all that English says, with the same values', (_locale, words) => {
    for (const part of ['widget', 'page'] as const) {
      expect(Object.keys(words[part])).toEqual(Object.keys(en[part]));
      for (const [key, text] of Object.entries(en[part])) {
        const said = (words[part] as Record<string, string>)[key]!;
        expect(said.trim()).not.toBe('');
        expect([key, [...new Set(placeholders(said))]]).toEqual([key, [...new Set(placeholders(text))]]);
      }
    }
  });

  test('every finding of the service has words, but those that are no news or not for the customer', () => {
    const silent = FINDING_CODES.filter(
      (code) =>
        findingWords({ code, params: {}, record: {} }) === undefined &&
        findingWords({ code, params: null }) === undefined,
    );
    expect(silent).toEqual([
      'flattened_ok',
      'credential_expiring',
      'mail_record_changed',
      'provider_paused',
      'drifted_long',
    ]);
    expect(Object.keys(STEP_WORDS)).toEqual([...PANEL_STEPS]);
  });

  test('the first wish that we have is taken, by its language if need be', () => {
    expect(chooseLocale(['pt', 'de'])).toBe('pt-BR');
    expect(chooseLocale(['de-AT'])).toBe('de');
    expect(chooseLocale(['xx', 'JA-jp'])).toBe('ja');
    expect(chooseLocale([undefined, '*', 'est'])).toBe('en');
  });

  test('values in a text from right to left keep their own direction', () => {
    expect(fill('{a} ← {b}', { a: 'x.com' }, true)).toBe('\u2068x.com\u2069 ← {b}');
  });
});
