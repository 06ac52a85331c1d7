import { limitedPages } from '../../src/edge/page-log.ts';
import { NO_BRANDING } from '../../src/domain/edge/admission.ts';
import { errorPage, PAGES, pageNamed, renderPage, type PageName } from '../../src/edge/pages.ts';
import { visitorLocale } from '../../src/edge/visitor-language.ts';
import { LOCALES } from '../../src/locales/words.ts';

test('a visitor’s language is the one with the highest weight that we have', () => {
  expect(visitorLocale('de-AT,de;q=0.9,en;q=0.8')).toBe('de');
  expect(visitorLocale('en;q=0.2, xx, fr;q=0.9')).toBe('fr');
  expect(visitorLocale('pt')).toBe('pt-BR');
  expect(visitorLocale('ja;q=0, en')).toBe('en');
  for (const header of [undefined, '', '*', ';;,q=', 'de;q=x', 'x'.repeat(5_000)])
    expect(visitorLocale(header)).toBe('en');
});

test('every page exists in every language, with the site and the tenant’s display name escaped', () => {
  const site = { host: 'xn--bcher-kva.example', requestId: 'id-1', ...NO_BRANDING, display_name: 'Acme <Shops>' };
  for (const locale of LOCALES)
    for (const name of Object.keys(PAGES) as PageName[]) {
      const { headers, body } = renderPage(pageNamed(name), site, locale);
      expect(body).toContain(`<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}">`);
      expect(body).toContain('Acme &lt;Shops&gt;');
      expect(body).toContain('bücher.example');
      expect(headers['vary']).toBe('Accept-Language');
      expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
    }
});

test('an error without a page of its own keeps its status', () => {
  expect(errorPage(504)).toEqual({ name: 'originSlow', status: 504 });
  expect(errorPage(418)).toEqual({ name: 'originDown', status: 418 });
});

test('the log takes twenty pages a second', () => {
  let now = 0;
  const written: number[] = [];
  const record = limitedPages(
    ({ status }) => written.push(status),
    () => now,
  );
  const page = {
    request_id: null,
    host: 'a.example',
    application_id: 'one',
    page: 'busy',
    status: 503,
    reason: null,
  } as const;
  for (now = 0; now < 2_000; now += 10) record(page);
  expect(written).toHaveLength(40);
});
