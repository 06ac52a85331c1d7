import type { ComponentChildren } from 'preact';
import { ICON_PATHS } from '../../design/icon-paths.ts';

/** SVG paths of the icons. */
const PATHS = {
  ...ICON_PATHS,
  down: 'M6 9.5l6 6 6-6',
};

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export const Spinner = () => <span class="spinner" aria-hidden="true" />;

/** A ref that focuses the element when it appears. Preact's hooks would add a kilobyte. */
export const takeFocus = (element: HTMLElement | null): void => element?.focus();

/** The heading of a step (a screen of the widget). The heading takes the focus, so that screen readers start there. */
export function Heading({ children }: { children: ComponentChildren }) {
  return (
    <h1 id="title" tabIndex={-1} ref={takeFocus}>
      {children}
    </h1>
  );
}

export function Button(props: {
  children: ComponentChildren;
  onClick?: () => void;
  kind?: 'primary' | 'quiet';
  busy?: boolean;
  submit?: boolean;
}) {
  const { children, onClick, kind = 'primary', busy = false, submit = false } = props;
  return (
    <button
      type={submit ? 'submit' : 'button'}
      class={`button ${kind}`}
      aria-disabled={busy || undefined}
      onClick={busy ? undefined : onClick}
    >
      {busy && <Spinner />}
      <span>{children}</span>
    </button>
  );
}

export function Notice({
  kind,
  title,
  children,
}: {
  kind: 'info' | 'warning' | 'danger';
  title?: string;
  children: ComponentChildren;
}) {
  return (
    <div class={`notice ${kind}`}>
      <Icon name={kind === 'info' ? 'clock' : 'alert'} />
      <div>
        {title !== undefined && <strong>{title}</strong>}
        {children}
      </div>
    </div>
  );
}
