import { TOKENS } from '../design/tokens.ts';

/**
 * Styles of the shared page, for light and dark mode and any width. The shared page shows which records to add, to a
 * person who has only the link.
 */
export const PAGE_CSS = `
${TOKENS}* { box-sizing: border-box; }
body { margin: 0; padding: 48px 20px; background: var(--bg); color: var(--fg); font: 16px/1.55 var(--font); }
main { max-width: 640px; margin: 0 auto; }
h1 { margin: 0 0 8px; font-size: 26px; line-height: 1.25; letter-spacing: -0.015em; overflow-wrap: anywhere; }
p { margin: 0 0 16px; }
.lead, .end, em, .by, bdi + code { color: var(--muted); }
.by { font-weight: 600; }
dd bdi { display: block; font-weight: 600; }
.status { padding: 12px 16px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--soft); }
.status.good { color: var(--good); font-weight: 600; }
.panel { margin-bottom: 20px; }
.panel p { margin-bottom: 8px; }
.panel ol { margin: 0; padding-inline-start: 22px; }
a { color: inherit; }
.panel a, .end a { display: inline-block; padding: 8px 0; }
main > ol { padding-inline-start: 24px; }
main > ol li { margin-bottom: 10px; }
pre { padding: 14px 16px; border: 1px solid var(--line); border-radius: var(--radius); overflow-x: auto; }
.records { list-style: none; margin: 0 0 24px; padding: 0; display: grid; gap: 12px; }
.record { border: 1px solid var(--line); border-radius: var(--radius); padding: 14px 16px; }
.head { display: flex; justify-content: space-between; align-items: center; margin: 0; }
.head strong { font: 600 14px/1.6 var(--mono); }
.pill { font-size: 13px; font-weight: 600; color: var(--muted); }
.found .pill { color: var(--good); }
.wrong .pill, .conflict .pill, .problem { color: var(--bad); }
.problem { margin: 8px 0 0; font-size: 14.5px; }
dl { display: grid; grid-template-columns: 72px minmax(0, 1fr); gap: 4px 12px; margin: 6px 0 0; align-items: center; }
dt { color: var(--muted); font-size: 14px; }
dd { display: flex; align-items: center; justify-content: space-between; gap: 12px; min-height: 44px; margin: 0; }
code { font: 14px/1.45 var(--mono); overflow-wrap: anywhere; user-select: all; }
.copy { flex: none; min-height: 44px; padding: 0 14px; border: 1px solid var(--line); border-radius: 8px; background: none; color: inherit; font: inherit; font-size: 14px; cursor: pointer; }
.copy[hidden] { display: none; }
.end { display: flex; flex-wrap: wrap; gap: 4px 20px; align-items: center; font-size: 14.5px; }
:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
@media (max-width: 440px) { dl { grid-template-columns: minmax(0, 1fr); gap: 0; } }
`.trimStart();

/** Adds copy buttons and live updates. The page also works without this script. */
export const PAGE_JS = `
'use strict';
const REFRESH_MS = 10000;
const showButtons = () => {
  if (navigator.clipboard) for (const button of document.querySelectorAll('.copy')) button.hidden = false;
};
document.addEventListener('click', async (event) => {
  const button = event.target.closest('.copy');
  if (!button) return;
  await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent);
  const before = button.textContent;
  button.textContent = button.dataset.copied;
  setTimeout(() => { button.textContent = before; }, 2000);
});
let shown = '';
const refresh = async () => {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.pathname.replace(/\\/$/, '') + '/content', { cache: 'no-store' });
    const text = await answer.text();
    if (answer.status === 404) return location.reload();
    if (!answer.ok || text === shown) return;
    const fresh = new DOMParser().parseFromString(text, 'text/html').getElementById('content');
    if (shown !== '' && fresh) document.getElementById('content').replaceWith(fresh);
    shown = text;
    showButtons();
  } catch { /* The next refresh tries again. */ }
};
showButtons();
if (document.querySelector('.records')) { refresh(); setInterval(refresh, REFRESH_MS); document.addEventListener('visibilitychange', refresh); }
`.trimStart();
