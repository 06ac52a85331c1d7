import { storeOf, useStore } from '../store.ts';
import { Icon } from './icon.tsx';

type Kind = 'good' | 'info' | 'danger';
interface Toast {
  id: number;
  text: string;
  kind: Kind;
}

const toasts = storeOf<readonly Toast[]>([]);
const SHOWN_MS: Record<Kind, number> = { good: 4_000, info: 6_000, danger: 10_000 };
const ICONS = { good: 'check', info: 'clock', danger: 'alert' } as const;
let last = 0;

/** Shows a message in a corner for a while. Screen readers read it aloud. */
export function toast(text: string, kind: Kind = 'good'): void {
  const id = (last += 1);
  toasts.set([...toasts.get().filter((known) => known.text !== text), { id, text, kind }].slice(-3));
  setTimeout(() => close(id), SHOWN_MS[kind]);
}

const close = (id: number): void => toasts.set(toasts.get().filter((known) => known.id !== id));

export const Toasts = () => (
  <div class="toasts" role="status">
    {useStore(toasts).map(({ id, text, kind }) => (
      <div key={id} class={`toast ${kind}`}>
        <Icon name={ICONS[kind]} />
        <span>{text}</span>
        <button type="button" class="button plain" aria-label="Close" onClick={() => close(id)}>
          <Icon name="cross" />
        </button>
      </div>
    ))}
  </div>
);
