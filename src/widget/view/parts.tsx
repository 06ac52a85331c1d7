import { Component, createRef, type ComponentChildren } from 'preact';
import type { RecordStatus } from '../../domain/observation/record-status.ts';
import type { View } from './context.ts';

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

export function LinkOut({
  href,
  view,
  kind,
  children,
}: {
  href: string;
  view: View;
  kind: string;
  children: ComponentChildren;
}) {
  // The address comes from a DNS provider, so other schemes, such as javascript:, are refused.
  if (!/^https?:\/\//.test(href)) return null;
  return (
    <a class={kind} href={href} target="_blank" rel="noopener noreferrer">
      <span>{children}</span>
      <Icon name="out" />
      <span class="hidden">({view.t('opensTab')})</span>
    </a>
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

const STATUS_ICON: Record<RecordStatus, keyof typeof PATHS> = {
  unchecked: 'clock',
  missing: 'clock',
  wrong: 'alert',
  conflict: 'alert',
  spreading: 'clock', // published, but not yet on every server
  found: 'check',
};

export function Pill({ status, children }: { status: RecordStatus; children: ComponentChildren }) {
  return (
    <span class={`pill ${status}`}>
      <Icon name={STATUS_ICON[status]} />
      {children}
    </span>
  );
}

const COPIED_MS = 2_000;

interface CopyableProps {
  label: string;
  value: string;
  /** Record to which the value belongs, for screen readers. */
  of: string;
  view: View;
}

/** A value with a copy button. If the browser denies access to the clipboard, the button selects the value. */
export class Copyable extends Component<CopyableProps, { copied?: boolean }> {
  private readonly text = createRef<HTMLElement>();

  private async copy(): Promise<void> {
    const { value, view } = this.props;
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      if (this.text.current !== null) getSelection()?.selectAllChildren(this.text.current);
      return;
    }
    this.setState({ copied: true });
    view.announce(view.t('copied'));
    setTimeout(() => this.setState({ copied: false }), COPIED_MS);
  }

  override render() {
    const { label, value, of, view } = this.props;
    const { copied = false } = this.state;
    return (
      <div class="field">
        <dt>{label}</dt>
        <dd>
          <code ref={this.text} dir="ltr">
            {value === '' ? <em>{view.t('leaveEmpty')}</em> : value}
          </code>
          {value !== '' && (
            <button
              type="button"
              class={`copy ${copied ? 'copied' : ''}`}
              aria-label={view.t('copyOf', { field: label, record: of })}
              onClick={() => void this.copy()}
            >
              <Icon name={copied ? 'check' : 'copy'} />
            </button>
          )}
        </dd>
      </div>
    );
  }
}
