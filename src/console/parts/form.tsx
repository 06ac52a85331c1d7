import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, sentenceOf } from '../api.ts';
import { Button } from './basics.tsx';
import { Icon } from './icon.tsx';

interface FieldProblem {
  path: string;
  message: string;
  suggestion?: string;
}

/** Returns the fields that the API refused, each with its path in the request. */
export const fieldProblems = (error: unknown): readonly FieldProblem[] =>
  error instanceof ApiError && Array.isArray(error.details) ? (error.details as FieldProblem[]) : [];

/** State of a form that sends a request: whether it runs, and what the API refused. */
export function useSubmit(send: () => Promise<unknown>) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setError(null);
    send().catch(setError).then(() => setBusy(false), () => undefined); // prettier-ignore
  };
  const at = (path: string) => fieldProblems(error).find((problem) => problem.path === path);
  return { onSubmit, isBusy, error, at };
}

type Submit = ReturnType<typeof useSubmit>;

/** A form with its fields, the refusal, and its button. */
export function Form(props: {
  submit: Submit;
  button: string;
  danger?: boolean;
  disabled?: boolean;
  children?: ComponentChildren;
  onCancel?: () => void;
}) {
  const { submit, button, danger, disabled = false, children, onCancel } = props;
  return (
    <form class="form" onSubmit={submit.onSubmit}>
      {children}
      <div role="alert">
        {submit.error !== null && (
          <p class="error with-icon">
            <Icon name="alert" />
            {sentenceOf(submit.error)}
          </p>
        )}
      </div>
      <div class="actions">
        <Button submit kind={danger ? 'danger' : 'primary'} busy={submit.isBusy} disabled={disabled}>
          {button}
        </Button>
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
      </div>
    </form>
  );
}
