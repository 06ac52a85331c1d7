import { useState } from 'preact/hooks';
import { post } from '../api.ts';
import { refresh } from '../live.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Select } from '../parts/fields.tsx';
import { Form, useSubmit } from '../parts/form.tsx';
import { SecretDialog, type ShownSecret } from './secret.tsx';

/** Creates a new signing secret and shows it once. */
export function Rotate({ id, onClose }: { id: string; onClose: () => void }) {
  const [when, setWhen] = useState('later');
  const [secret, setSecret] = useState<ShownSecret | null>(null);
  const submit = useSubmit(async () => {
    const body = when === 'now' ? { now: true } : {};
    const { signing_secret, activates_at } = await post('/v1/webhook-endpoints/{id}:rotate-secret', { params: { id }, body }); // prettier-ignore
    setSecret({ value: signing_secret, activatesAt: when === 'now' ? null : activates_at });
    refresh('/v1/webhook-endpoints');
  });
  if (secret !== null) return <SecretDialog secret={secret} onClose={onClose} />;
  return (
    <Dialog title="Rotate the signing secret" onClose={onClose}>
      <Form submit={submit} button="Create a new secret" danger={when === 'now'} onCancel={onClose}>
        <Select
          label="The new secret signs"
          value={when}
          onValue={setWhen}
          choices={[
            ['later', 'from 24 hours on'],
            ['now', 'immediately, because the old one leaked'],
          ]}
          hint={
            when === 'now'
              ? 'Your receiver refuses events until it knows the new secret. We send them again later.'
              : 'Give your receiver the new secret in the meantime, and accept both.'
          }
        />
      </Form>
    </Dialog>
  );
}
