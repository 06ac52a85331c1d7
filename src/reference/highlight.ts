import { escapeHtml } from '../domain/html.ts';
import type { Language } from './samples.ts';

const WORDS: Readonly<Record<Language | 'json', string>> = {
  curl: 'curl',
  typescript: 'import from const await for of',
  python: 'import from with as print',
  go: 'package import func if nil return defer',
  json: 'true false null',
};

/** Strings, options of commands, numbers and words, in this order of precedence. */
const TOKENS =
  /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)|(?<=\s)(-{1,2}[A-Za-z]\b)|\b(\d+(?:\.\d+)?)\b|\b([a-z]+)\b/g;

/** Returns code as HTML, with classes for strings (s), options and keywords (k), and numbers (n). */
export function highlighted(code: string, language: Language | 'json'): string {
  const words = new Set(WORDS[language].split(' '));
  let html = '';
  let end = 0;
  for (const match of code.matchAll(TOKENS)) {
    const [token, text, option, number, word] = match;
    const kind =
      text !== undefined
        ? language === 'json' && code.startsWith(':', match.index + token.length)
          ? 'p'
          : 's'
        : number !== undefined && language !== 'curl'
          ? 'n'
          : option !== undefined || (word !== undefined && words.has(word))
            ? 'k'
            : undefined;
    if (kind === undefined) continue;
    html += `${escapeHtml(code.slice(end, match.index))}<span class="${kind}">${escapeHtml(token)}</span>`;
    end = match.index + token.length;
  }
  return html + escapeHtml(code.slice(end));
}
