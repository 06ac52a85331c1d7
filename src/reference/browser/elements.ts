/** Creates an element. Texts are never parsed as HTML, so the page needs no trusted types. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<Omit<HTMLElementTagNameMap[K], 'dataset' | 'style'>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Returns an element that the server rendered. */
export function part(selector: string, within: ParentNode = document): HTMLElement {
  const found = within.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`The page has no ${selector}.`);
  return found;
}

export function inputPart(selector: string): HTMLInputElement {
  const found = part(selector);
  if (!(found instanceof HTMLInputElement)) throw new Error(`${selector} is no input.`);
  return found;
}

/** Reads and writes choices that a person made. Browsers can forbid both. */
export const choices = {
  read(name: string): string | null {
    try {
      return localStorage.getItem(`svc-reference-${name}`);
    } catch {
      return null;
    }
  },
  save(name: string, value: string): void {
    try {
      localStorage.setItem(`svc-reference-${name}`, value);
    } catch {
      // The choice then applies to this page only.
    }
  },
};
