import { inputPart, part } from './elements.ts';

interface Entry {
  link: HTMLElement;
  words: string;
}

/** Filters the menu by words in the paths, summaries and fields of operations, and in the names of objects. */
export function offerSearch(): void {
  const input = inputPart('#search');
  const found = part('.found');
  const entries = [...document.querySelectorAll<HTMLAnchorElement>('nav li > a')].map(entryOf);
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = entries.filter((entry) => words.every((word) => entry.words.includes(word)));
    for (const { link } of entries) link.hidden = true;
    for (const { link } of hits) link.hidden = false;
    for (const group of document.querySelectorAll<HTMLElement>('nav .group'))
      group.hidden = group.querySelector('li:not([hidden])') === null;
    found.textContent = words.length === 0 ? '' : `${hits.length} found`;
  };
  input.addEventListener('input', filter);
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') input.value = '';
    if (key === 'Escape') filter();
    if (key === 'Enter') document.querySelector<HTMLElement>('nav li:not([hidden]) > a')?.click();
  });
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    showMenu(true);
    input.focus();
  });
  part('.search').hidden = false;
}

function entryOf(anchor: HTMLAnchorElement): Entry {
  const target = document.getElementById(anchor.hash.slice(1));
  const parts = target?.querySelectorAll('h3, .path, .name code') ?? [];
  const text = [...parts].map(({ textContent }) => textContent).join(' ');
  return { link: anchor.parentElement ?? anchor, words: text.toLowerCase() };
}

/** Opens or closes the menu on narrow pages. */
function showMenu(isOpen: boolean): void {
  part('nav').classList.toggle('open', isOpen);
  part('.menu').ariaExpanded = String(isOpen);
}

export function offerMenu(): void {
  const nav = part('nav');
  part('.menu').addEventListener('click', () => showMenu(!nav.classList.contains('open')));
  nav.addEventListener('click', ({ target }) => target instanceof Element && target.closest('a') && showMenu(false));
  nav.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !nav.classList.contains('open')) return;
    showMenu(false);
    part('.menu').focus();
  });
}

/** Marks the operation that is in view in the menu. */
export function followScrolling(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('nav li > a')].map((link) => [link.hash.slice(1), link]),
  );
  const observer = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) {
        const link = links.get(target.id);
        if (link === undefined) continue;
        link.ariaCurrent = isIntersecting ? 'true' : null;
        if (isIntersecting && matchMedia('(min-width: 1000px)').matches) keepInView(link);
      }
    },
    { rootMargin: '-15% 0px -80% 0px' },
  );
  for (const article of document.querySelectorAll('article')) observer.observe(article);
}

/** Scrolls the menu alone. `scrollIntoView` could scroll the page too. */
function keepInView(link: HTMLElement): void {
  const nav = part('nav');
  const { top, bottom } = link.getBoundingClientRect();
  const frame = nav.getBoundingClientRect();
  if (top < frame.top + 110) nav.scrollTop -= frame.top + 110 - top;
  if (bottom > frame.bottom - 40) nav.scrollTop += bottom - frame.bottom + 40;
}
