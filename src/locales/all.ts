import * as ar from './ar.ts';
import * as de from './de.ts';
import * as en from './en.ts';
import * as es from './es.ts';
import * as fr from './fr.ts';
import * as ja from './ja.ts';
import * as ptBR from './pt-br.ts';
import type { Locale, PageWords, Words } from './words.ts';

/** Every language, for the SDK's build and for pages that the server renders. */
export const LANGUAGES: Readonly<Record<Locale, { widget: Words; page: PageWords }>> = {
  en,
  de,
  fr,
  es,
  'pt-BR': { widget: ptBR.widget, page: ptBR.page },
  ja,
  ar,
};
