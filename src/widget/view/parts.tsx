import type { ComponentChildren } from 'preact';

/** SVG paths of the icons. */
const PATHS = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  out: 'M10 5H5v14h14v-5M14 4h6v6M20 4l-9 9',
  alert: 'M12 8v5M12 16.5v.01M12 3.5l9.5 17h-19z',
  clock: 'M12 7v5l3.5 2M12 3a9 9 0 100 18 9 9 0 000-18z',
  globe: 'M12 3a9 9 0 100 18 9 9 0 000-18zM3 12h18M12 3c3 3 3.8 6 3.8 9s-.8 6-3.8 9c-3-3-3.8-6-3.8-9s.8-6 3.8-9z',
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
