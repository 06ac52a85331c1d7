import type { Request } from 'express';
import { chooseLocale, type Locale } from '../locales/words.ts';

/** Returns the language of a page for the visitor, from Accept-Language. */
export const localeOf = (request: Request): Locale => chooseLocale(request.acceptsLanguages());
