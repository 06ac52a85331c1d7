import { choices, element, part } from './elements.ts';
import { tryButton } from './try-it.ts';

const root = document.documentElement;

/** Adds the choice of a language, a copy button and a button to try the request to each sample. */
export function offerLanguages(): void {
  const buttons: HTMLButtonElement[] = [];
  const choose = (language: string) => {
    root.dataset['language'] = language;
    for (const button of buttons) button.ariaPressed = String(button.value === language);
  };
  for (const samples of document.querySelectorAll<HTMLElement>('.samples')) {
    const tabs = element('div', { className: 'languages', role: 'group', ariaLabel: 'Language' });
    for (const sample of samples.querySelectorAll<HTMLElement>('.sample')) {
      const name = part('.language', sample).textContent;
      const button = element('button', { type: 'button', value: sample.dataset['language'] ?? '' }, name);
      button.addEventListener('click', () => {
        const before = button.getBoundingClientRect().top;
        choose(button.value);
        choices.save('language', button.value);
        // Samples above have other heights now. The button stays under the pointer.
        scrollBy(0, button.getBoundingClientRect().top - before);
      });
      buttons.push(button);
      tabs.append(button);
    }
    const bar = part('.bar', samples);
    bar.append(tabs, copyButton(samples), tryButton(samples));
    bar.hidden = false;
  }
  const saved = choices.read('language');
  choose(buttons.some(({ value }) => value === saved) ? (saved ?? '') : 'curl');
}

function copyButton(samples: HTMLElement): HTMLButtonElement {
  const button = element('button', { type: 'button', className: 'copy' }, 'Copy');
  button.addEventListener('click', () => {
    const shown = part(`.sample[data-language="${root.dataset['language'] ?? ''}"] code`, samples);
    navigator.clipboard.writeText(shown.textContent).then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Press Ctrl+C'),
    );
    setTimeout(() => (button.textContent = 'Copy'), 2_000);
  });
  return button;
}
