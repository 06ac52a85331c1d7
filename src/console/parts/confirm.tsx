import type { ComponentChildren } from 'preact';
import { Dialog } from './dialog.tsx';
import { Form, useSubmit } from './form.tsx';

/** Asks before something that cannot be undone. */
export function Confirm(props: {
  title: string;
  button: string;
  run: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const { title, button, run, onClose, children } = props;
  const submit = useSubmit(() => run().then(onClose));
  return (
    <Dialog title={title} onClose={onClose}>
      <Form danger submit={submit} button={button} onCancel={onClose}>
        {children}
      </Form>
    </Dialog>
  );
}
