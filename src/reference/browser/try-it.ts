import { element, part } from './elements.ts';
import { isLive, keyField } from './key.ts';
import { remember, send, someId } from './requests.ts';

/** Returns a button that opens a form below the samples, with which a person sends the request. */
export function tryButton(samples: HTMLElement): HTMLButtonElement {
  const button = element('button', { type: 'button', className: 'try', ariaExpanded: 'false' }, 'Try it');
  let form: HTMLFormElement | undefined;
  button.addEventListener('click', () => {
    if (form === undefined) {
      form = formFor(samples);
      form.hidden = true;
      samples.append(form);
    }
    form.hidden = !form.hidden;
    button.ariaExpanded = String(!form.hidden);
    if (!form.hidden) part('input, textarea, button', form).focus();
  });
  return button;
}

interface Fields {
  inputs: Map<HTMLInputElement, { name: string; where: string }>;
  body: HTMLTextAreaElement | undefined;
}

function formFor(samples: HTMLElement): HTMLFormElement {
  const operation = samples.closest<HTMLElement>('.operation');
  if (operation === null) throw new Error('The samples belong to no operation.');
  const { method = '', path = '' } = operation.dataset;
  const fields: Fields = { inputs: new Map(), body: undefined };
  const form = element('form', { className: 'request', ariaLabel: `Try ${method} ${path}` });
  for (const parameter of operation.querySelectorAll<HTMLElement>('[data-in="path"], [data-in="query"]'))
    form.append(fieldFor(parameter, operation.id, fields));
  const body = samples.dataset['body'];
  if (body !== undefined) form.append(bodyField(body, operation.id, fields));
  const output = element('div', { className: 'output', role: 'status' });
  form.append(element('button', { type: 'submit', className: 'send' }, `Send ${method}`), output);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit(method, path, fields, output);
  });
  void fillIn(path, fields);
  return form;
}

function fieldFor(parameter: HTMLElement, id: string, { inputs }: Fields): HTMLElement {
  const { name = '', in: where = '' } = parameter.dataset;
  const required = parameter.querySelector('.required') !== null;
  const input = element('input', { id: `${id}-${name}`, required, autocomplete: 'off', spellcheck: false });
  inputs.set(input, { name, where });
  const label = element('label', { htmlFor: input.id }, name);
  return element('p', {}, label, input);
}

function bodyField(body: string, id: string, fields: Fields): HTMLElement {
  const input = element('textarea', { id: `${id}-body`, value: body, spellcheck: false, rows: Math.min(14, body.split('\n').length) }); // prettier-ignore
  fields.body = input;
  return element('p', {}, element('label', { htmlFor: input.id }, 'Body'), input);
}

/** Puts ids of the person's own objects in place of the samples' ids. */
async function fillIn(path: string, { inputs, body }: Fields): Promise<void> {
  const resource = /^\/v1\/([\w-]+)/.exec(path)?.[1] ?? '';
  for (const [input, { name, where }] of inputs)
    if (where === 'path' && name === 'id') input.value ||= (await someId(resource)) ?? '';
  if (body?.value.includes('"application_id"') !== true) return;
  const before = body.value;
  const application = await someId('applications');
  if (application !== undefined && body.value === before)
    body.value = before.replace(/("application_id": )"[^"]*"/, `$1"${application}"`);
}

async function submit(method: string, path: string, { inputs, body }: Fields, output: HTMLElement): Promise<void> {
  if (keyField().value.trim() === '') {
    const link = element('a', { href: '#key' }, 'Paste an API key');
    output.replaceChildren(link, ' first, at the top of the page.');
    return;
  }
  if (isLive() && method !== 'GET' && !confirm('This is a live key. The request changes real domains. Send it?'))
    return;
  const query = new URLSearchParams();
  let target = path;
  for (const [{ value }, { name, where }] of inputs)
    if (where === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value.trim()));
    else if (value.trim() !== '') query.set(name, value.trim());
  if (query.size > 0) target += `?${query.toString()}`;
  output.replaceChildren('Sending …');
  try {
    const answer = await send(method, target, body?.value);
    if (answer.status < 300) remember(target, answer.text);
    const line = `${answer.status} ${answer.statusText} · ${answer.milliseconds} ms`;
    output.replaceChildren(
      element('p', { className: answer.status < 400 ? 'ok' : 'refused' }, line),
      element('p', { className: 'request-id' }, `Request id ${answer.requestId}`),
      ...(answer.text === '' ? [] : [element('pre', { tabIndex: 0 }, element('code', {}, answer.text))]),
    );
  } catch {
    output.replaceChildren('The service did not answer. Check that it is running, then send again.');
  }
}
