import { useId } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  /** Why the value cannot be used. */
  error?: string | null;
}

function Labelled({ label, hint, error, id, children }: FieldProps & { id: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

const described = (id: string, { hint, error }: FieldProps) => ({
  id,
  'aria-invalid': error ? true : undefined,
  'aria-describedby': [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined,
});

type InputProps = Omit<JSX.IntrinsicElements['input'], 'label' | 'onInput' | 'value'>;

/** A line of text with its label, hint and error. */
export function Field(props: FieldProps & InputProps & { value: string; onValue: (value: string) => void }) {
  const { label, hint, error, onValue, ...rest } = props;
  const id = useId();
  const field: FieldProps = { label, hint, ...(error === undefined ? {} : { error }) };
  return (
    <Labelled {...field} id={id}>
      <input
        autoComplete="off"
        spellcheck={false}
        {...rest}
        {...described(id, field)}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </Labelled>
  );
}

/** Several lines of text with their label, hint and error. */
export function TextArea(props: FieldProps & { value: string; rows?: number; onValue: (value: string) => void }) {
  const { value, rows = 6, onValue, ...field } = props;
  const id = useId();
  return (
    <Labelled {...field} id={id}>
      <textarea
        rows={rows}
        spellcheck={false}
        value={value}
        {...described(id, field)}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </Labelled>
  );
}

export type Choice = readonly [value: string, text: string];

export function Select(
  props: FieldProps & { value: string; choices: readonly Choice[]; onValue: (value: string) => void },
) {
  const { value, choices, onValue, ...field } = props;
  const id = useId();
  return (
    <Labelled {...field} id={id}>
      <select {...described(id, field)} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

export function Checkbox(props: {
  label: string;
  checked: boolean;
  onValue: (checked: boolean) => void;
  quiet?: boolean;
}) {
  const { label, checked, onValue, quiet } = props;
  return (
    <label class="checkbox">
      <input type="checkbox" checked={checked} onChange={(event) => onValue(event.currentTarget.checked)} />
      <span class={quiet ? 'hidden' : undefined}>{label}</span>
    </label>
  );
}
