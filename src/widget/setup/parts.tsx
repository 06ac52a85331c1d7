import type { ComponentChildren } from 'preact';
import { unicodeHostname } from '../../domain/idn.ts';
import type { Connection } from '../api.ts';
import { awaitsMove, isBeforeMove } from '../step.ts';
import { describeFinding, generalFindings, type SetupView } from './context.ts';
import { Icon, Notice } from './ui.ts';

interface LinkProps {
  href: string;
  view: SetupView;
  kind: string;
  /** The page at the address may report back to this one. */
  opener?: boolean;
  children: ComponentChildren;
}

export function LinkOut({ href, view, kind, opener = false, children }: LinkProps) {
  // The address comes from a DNS provider, so other schemes, such as javascript:, are refused.
  if (!/^https?:\/\//.test(href)) return null;
  return (
    <a class={kind} href={href} target="_blank" rel={opener ? 'opener' : 'noopener noreferrer'}>
      <span>{children}</span>
      <Icon name="out" />
      <span class="hidden">({view.t('opensTab')})</span>
    </a>
  );
}

const COPIED_MS = 2_000;

interface CopyableProps {
  label: string;
  value: string;
  /** Record to which the value belongs, for screen readers. */
  of: string;
  view: SetupView;
  /** The value is a hostname or a part of one. People read it as Unicode, but DNS panels need the A-labels. */
  isName?: boolean;
}

/** A value with a copy button. If the browser denies access to the clipboard, the button selects the value. */
export function Copyable({ label, value, of, view, isName = false }: CopyableProps) {
  let code: HTMLElement | null = null;
  const copy = async ({ currentTarget: button }: { currentTarget: HTMLButtonElement }) => {
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      if (code !== null) getSelection()?.selectAllChildren(code);
      return;
    }
    button.className = 'copy copied';
    view.announce(view.t('copied'));
    setTimeout(() => (button.className = 'copy'), COPIED_MS);
  };
  const readable = isName ? unicodeHostname(value) : value;
  return (
    <div class="field">
      <dt>{label}</dt>
      <dd>
        <span>
          {readable !== value && <bdi dir="ltr">{readable}</bdi>}
          <code ref={(element) => void (code = element)} dir="ltr">
            {value === '' ? <em>{view.t('leaveEmpty')}</em> : value}
          </code>
        </span>
        {value !== '' && (
          <button
            type="button"
            class="copy"
            aria-label={view.t('copyOf', { field: label, record: of })}
            onClick={(event) => void copy(event)}
          >
            <Icon name="copy" />
            <Icon name="check" />
          </button>
        )}
      </dd>
    </div>
  );
}

export function GeneralFindings({ view }: { view: SetupView }) {
  const { connection } = view.state;
  if (connection === null) return null;
  return (
    <>
      {generalFindings(connection).map((finding) => {
        const text = describeFinding(view, finding);
        return text === null ? null : (
          <Notice key={finding.code} kind="warning">
            {text}
          </Notice>
        );
      })}
    </>
  );
}

/** Explains, for a certificate that comes first, what the records of this step change for visitors. */
export function Move({ view, connection }: { view: SetupView; connection: Connection }) {
  if (isBeforeMove(connection)) return <Notice kind="info">{view.t('moveFirst')}</Notice>;
  return awaitsMove(connection) ? <Notice kind="info">{view.t('moveReady')}</Notice> : null;
}
