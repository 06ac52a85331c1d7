import { createHash } from 'node:crypto';
import { FINDING_CODES } from '../../src/domain/observation/finding.ts';
import { PANEL_STEPS } from '../../src/domain/connection/panel.ts';
import { LANGUAGES } from '../../src/locales/all.ts';
import { findingWords, PANEL_STEP_WORDS } from '../../src/locales/finding-words.ts';
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

  test('is at most 20 kB with its styles and English, compressed with Brotli', async () => {
    expect((await named('widget.js').brotli()).length).toBeLessThanOrEqual(20 * KB);
    expect((await named('widget.mjs').brotli()).length).toBeLessThanOrEqual(20 * KB);
  });

  test('loads the later steps with at most 10 kB, and the email setup with at most 5 kB', async () => {
    const later = (part: string) => files.find(({ name }) => name.startsWith(`${part}-`) && name.endsWith('.mjs'))!;
    expect((await later('setup').brotli()).length).toBeLessThanOrEqual(10 * KB);
    expect((await later('email').brotli()).length).toBeLessThanOrEqual(5 * KB);
  });

  test('every other language adds at most 2 kB to each part', async () => {
    const others = files.filter(({ name, type }) => type.startsWith('application/json') && name !== 'manifest.json');
    expect(others).toHaveLength(3 * (LOCALES.length - 1));
    for (const file of others) expect((await file.brotli()).length).toBeLessThanOrEqual(2_048);
  });

  test('has one copy of Preact, in the script', () => {
    const hasPreact = ({ body }: SdkFile) => body.includes('http://www.w3.org/2000/svg');
    expect(files.filter(hasPreact).map(({ name }) => name.replace(/-[0-9a-f]{16}/, ''))).toEqual(
      expect.arrayContaining(['widget.js', 'widget.mjs']),
    );
    expect(files.filter(({ name }) => /^(setup|email)-/.test(name)).some(hasPreact)).toBe(false);
  });

  test('its manifest lists the immutable files with their integrity', () => {
    const manifest = JSON.parse(named('manifest.json').body.toString()) as Record<string, Record<string, string>>;
    for (const [name, { url = '', integrity }] of Object.entries(manifest)) {
      const { body, immutable } = named(url);
      expect(immutable).toBe(true);
      expect(body).toEqual(named(name).body);
      expect(integrity).toBe(`sha384-${createHash('sha384').update(body).digest('base64')}`);
    }
  });

  test('refers to no other host', () => {
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

  test.each(Object.entries(others))('%s has every English text, with the same placeholders', (_locale, words) => {
    for (const part of ['widget', 'setup', 'email', 'page'] as const) {
      expect(Object.keys(words[part])).toEqual(Object.keys(en[part]));
      for (const [key, text] of Object.entries(en[part])) {
        const translated = (words[part] as Record<string, string>)[key]!;
        expect(translated.trim()).not.toBe('');
        expect([key, [...new Set(placeholders(translated))]]).toEqual([key, [...new Set(placeholders(text))]]);
      }
    }
  });

  test.each(Object.entries(others))('%s has every page of the edge', (_locale, { edge }) => {
    expect(Object.keys(edge)).toEqual(Object.keys(en.edge));
    for (const { title, text } of Object.values(edge)) expect([title.trim(), text.trim()]).not.toContain('');
  });

  test('every finding has a text, unless it needs no action or is only for the tenant', () => {
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
      'acme_challenge_taken',
      'wildcard_needs_dns',
      'cutover_reverted',
      'dangling',
      'domain_expiring',
      'registered_anew',
      'domain_gone',
    ]);
    expect(Object.keys(PANEL_STEP_WORDS)).toEqual([...PANEL_STEPS]);
  });

  test('the first preferred language that we have is chosen, by its subtag if necessary', () => {
    expect(chooseLocale(['pt', 'de'])).toBe('pt-BR');
    expect(chooseLocale(['de-AT'])).toBe('de');
    expect(chooseLocale(['xx', 'JA-jp'])).toBe('ja');
    expect(chooseLocale([undefined, '*', 'est'])).toBe('en');
  });

  test('values in right-to-left text keep their own direction', () => {
    expect(fill('{a} ← {b}', { a: 'x.com' }, true)).toBe('\u2068x.com\u2069 ← {b}');
  });
});
