import markdown from '@eslint/markdown';
import tseslint from 'typescript-eslint';
import prose from './plain-english.js';

const rules = { 'prose/plain-english': 'error' };

/** The prose linter: comments, messages, names and documents. It knows no types, so it needs seconds. */
export default [
  {
    ignores: [
      '**/dist',
      '**/node_modules',
      'coverage',
      'client/schema.d.ts',
      'LICENSE',
      'tools/prose/words.js',
      'src/locales/{ar,de,es,fr,ja,pt-br}.ts',
      'migrations',
    ],
  },
  {
    files: ['**/*.{ts,tsx,js,cjs,mjs}'],
    languageOptions: { parser: tseslint.parser },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    plugins: { prose },
    rules,
  },
  { files: ['**/*.md'], language: 'markdown/gfm', plugins: { markdown, prose }, rules },
];
