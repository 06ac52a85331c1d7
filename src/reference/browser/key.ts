import { inputPart, part } from './elements.ts';

const FILLED_IN = 'The demo’s test key is filled in. Requests reach the sandbox only.';
const WHERE = 'Paste a test key. The page keeps it until you close it, and sends it to this service only.';
const LIVE = 'This is a live key: requests change real domains.';

export const keyField = (): HTMLInputElement => inputPart('#key');
export const isLive = (): boolean => keyField().value.trim().startsWith('sk_live_');

/** Shows the field for the key. A service with the development defaults fills in the demo's. */
export function offerKey(): void {
  const field = keyField();
  const demo = document.body.dataset['key'];
  if (demo !== undefined) field.value = demo;
  const hint = () => {
    part('#key-hint').textContent = isLive() ? LIVE : demo !== undefined && field.value === demo ? FILLED_IN : WHERE;
  };
  field.addEventListener('input', hint);
  hint();
  part('.key').hidden = false;
}
