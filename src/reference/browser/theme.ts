import { choices, part } from './elements.ts';

type Theme = 'light' | 'dark';
const root = document.documentElement;

/** Applies the saved theme before the first paint. Without one, the page follows the browser's setting. */
export function applySavedTheme(): void {
  const saved = choices.read('theme');
  if (saved === 'light' || saved === 'dark') root.dataset['theme'] = saved;
}

export function offerThemes(): void {
  const button = part('.switch');
  const system = matchMedia('(prefers-color-scheme: dark)');
  const current = (): Theme => (root.dataset['theme'] as Theme | undefined) ?? (system.matches ? 'dark' : 'light');
  const show = () => (button.textContent = current() === 'dark' ? 'Light mode' : 'Dark mode');
  button.addEventListener('click', () => {
    const next = current() === 'dark' ? 'light' : 'dark';
    root.dataset['theme'] = next;
    choices.save('theme', next);
    show();
  });
  system.addEventListener('change', show);
  show();
}
