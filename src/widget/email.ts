import type { z } from 'zod';
import type { EmailApplied } from '../api/schemas/email.ts';
import { MAILBOX_PROVIDERS } from '../domain/email/mailbox-providers.ts';
import { EMAIL_WORDS, type EmailWords } from '../locales/email.ts';
import { fill, isRightToLeft, type Params } from '../locales/words.ts';
import type { View } from './view/context.ts';

type Applied = z.infer<typeof EmailApplied>;

const TIMEOUT_MS = 40_000;

/** Shows the email setup: a separate file without Preact, because most widgets never need it. */
export function show(container: HTMLElement, view: View): void {
  const { connection } = view.state;
  // While this file was loading, the widget may have called twice.
  if (connection === null || container.firstChild) return;
  const { id: connectionId, hostname } = connection;
  const words = EMAIL_WORDS[view.locale];
  const t = (key: keyof EmailWords, params: Params = {}) => fill(words[key], params, isRightToLeft(view.locale));
  const result = element('div', { role: 'status' });
  const buttons: HTMLButtonElement[] = [];
  const choices = element('div', { class: 'actions' });
  for (const { id, name, inWidget } of MAILBOX_PROVIDERS) {
    if (!inWidget) continue;
    const button = element('button', { type: 'button', class: 'button quiet', 'data-provider': id }, name);
    button.onclick = () => void choose(id);
    buttons.push(button);
    choices.appendChild(button);
  }
  for (const child of [element('h2', {}, t('title', { domain: hostname.replace(/^www\./, '') })), element('p', {}, t('text')), choices, result]) container.appendChild(child); // prettier-ignore

  async function choose(provider: string): Promise<void> {
    for (const button of buttons) button.disabled = true;
    try {
      result.replaceChildren(...outcome(await apply(view, connectionId, provider)));
    } catch (error) {
      console.warn(`[svc] ${String(error)}`);
      result.replaceChildren(element('p', { class: 'problem' }, t('failed')));
    }
    for (const button of buttons) button.disabled = false;
  }

  function outcome({ written_records, manual_records, notes }: Applied): HTMLElement[] {
    const parts: HTMLElement[] = [];
    const records = written_records.map(({ type, relative_host }) => `${type} ${relative_host}`).join(', ');
    if (records !== '') parts.push(element('p', {}, t('added', { records })));
    parts.push(element('p', {}, t(manual_records.length === 0 ? 'allSet' : 'manual')));
    const list = element('ul', { class: 'records' });
    for (const record of manual_records) list.appendChild(element('li', {}, recordOf(record)));
    if (manual_records.length > 0) parts.push(list);
    if (notes.length > 0) {
      const details = element('details', { class: 'instructions' }, element('summary', {}, t('notes')));
      const lines = element('ul', { lang: 'en', dir: 'ltr' });
      for (const note of notes) lines.appendChild(element('li', {}, note));
      details.appendChild(lines);
      parts.push(details);
    }
    return parts;
  }

  function recordOf({ type, relative_host, value, priority }: Applied['manual_records'][number]): HTMLElement {
    const name = `${type} ${relative_host}`;
    const fields = element('dl', {});
    const field = (label: string, text: string) => {
      const code = element('code', { dir: 'ltr' }, text);
      const copy = element('button', { type: 'button', class: 'copy', 'aria-label': t('copyOf', { field: label, record: name }) }, '⧉'); // prettier-ignore
      copy.onclick = () => {
        navigator.clipboard.writeText(text).then(
          () => (copy.textContent = '✓'),
          () => getSelection()?.selectAllChildren(code),
        );
      };
      fields.appendChild(element('div', { class: 'field' }, element('dt', {}, label), element('dd', {}, code, copy)));
    };
    field(t('name'), relative_host);
    field(t('value'), value);
    if (priority !== null) field(t('priority'), String(priority));
    const head = element('header', {}, element('span', { class: 'type' }, type));
    return element('article', { class: 'record', 'aria-label': name }, head, fields);
  }
}

async function apply({ baseUrl, options }: View, connectionId: string, provider: string): Promise<Applied> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), TIMEOUT_MS);
  try {
    const response = await fetch(`${baseUrl}/v1/connections/${connectionId}/email:apply`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${options.token}`, 'Content-Type': 'application/json' },
      // Provider ids contain no characters that JSON escapes.
      body: `{"provider":"${provider}"}`,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: giveUp.signal,
    });
    if (!response.ok) throw new Error(`email:apply returned ${response.status}.`);
    return (await response.json()) as Applied;
  } finally {
    clearTimeout(timer);
  }
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>>,
  ...children: (string | HTMLElement)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  for (const child of children) made.appendChild(typeof child === 'string' ? document.createTextNode(child) : child);
  return made;
}
