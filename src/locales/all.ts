import * as ar from './ar.ts';
import * as de from './de.ts';
import * as en from './en.ts';
import * as es from './es.ts';
import * as fr from './fr.ts';
import * as ja from './ja.ts';
import * as ptBR from './pt-br.ts';
import type { EdgeWords, EmailWords, Locale, PageWords, SetupWords, Words } from './words.ts';

/** All texts of one language. */
export interface Texts {
  widget: Words;
  setup: SetupWords;
  email: EmailWords;
  page: PageWords;
  edge: EdgeWords;
}

/** Every language, for the SDK's build and for pages that the server renders. */
export const LANGUAGES: Readonly<Record<Locale, Texts>> = {
  en,
  de,
  fr,
  es,
  'pt-BR': { widget: ptBR.widget, setup: ptBR.setup, email: ptBR.email, page: ptBR.page, edge: ptBR.edge },
  ja,
  ar,
};
