import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { toast } from './toast.tsx';

/** Copies a value. Without a clipboard (plain http), the value can still be selected. */
export function Copy({ value, of }: { value: string; of: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      toast("Your browser doesn't allow copying here. Select the text and copy it.", 'danger');
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <button
      type="button"
      class="button plain copy"
      aria-label={copied ? 'Copied' : `Copy ${of}`}
      onClick={() => void copy()}
    >
      <Icon name={copied ? 'check' : 'copy'} />
    </button>
  );
}

/** A value in a fixed-width font that can be copied. */
export const Code = ({ value, of }: { value: string; of?: string }) => (
  <span class="code">
    <code>{value}</code>
    {of !== undefined && <Copy value={value} of={of} />}
  </span>
);

export interface DiffLine {
  sign: '+' | '-' | '=' | '!';
  text: string;
  note?: string;
}

const SIGNS: Record<DiffLine['sign'], string> = { '+': 'Added', '-': 'Removed', '=': 'Unchanged', '!': 'Conflict' };

/** Lines that are added, removed or stay. */
export const Diff = ({ lines }: { lines: readonly DiffLine[] }) => (
  <ul class="diff">
    {lines.map(({ sign, text, note }) => (
      <li key={sign + text} class={SIGNS[sign].toLowerCase()}>
        <span class="sign" aria-hidden="true">
          {sign === '=' ? ' ' : sign}
        </span>
        <span>
          <span class="hidden">{SIGNS[sign]}: </span>
          <code>{text}</code>
          {note && <small>{note}</small>}
        </span>
      </li>
    ))}
  </ul>
);

/** JSON or plain text of another server. */
export const Block = ({ text, label }: { text: string; label: string }) => (
  <pre class="block" tabIndex={0} role="region" aria-label={label}>
    <code>{text}</code>
  </pre>
);
