import { chooseLocale, type Locale } from '../locales/words.ts';

/** Returns the best language of an Accept-Language header by its weights (RFC 9110 section 12.5.4), or English. */
export function visitorLocale(header: string | undefined): Locale {
  const ranges = (header ?? '').split(',').map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
  });
  const wanted = ranges.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  return chooseLocale(wanted.map(({ tag }) => tag));
}
