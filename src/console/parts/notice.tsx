import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

/** A short text that a person must not miss. */
export const Notice = ({ tone = 'info', children }: { tone?: 'info' | 'warning'; children: ComponentChildren }) => (
  <div class={`notice ${tone}`}>
    <Icon name="alert" />
    <div>{children}</div>
  </div>
);
