import { useState } from 'preact/hooks';
import { RECORD_TYPES, TTL_DEFAULT } from '../../domain/record.ts';
import { put } from '../api.ts';
import { refresh } from '../live.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Select, TextArea } from '../parts/fields.tsx';
import { Form, useSubmit } from '../parts/form.tsx';
import { toast } from '../parts/toast.tsx';
import { hasPriority, recordsOf, textOf, type RecordSet } from './record-set.ts';

/** Sets the records of a name and type. Saved values replace all earlier ones. */
export function RecordForm({ set, onClose }: { set: RecordSet; onClose: () => void }) {
  const [host, setHost] = useState(set.host);
  const [type, setType] = useState(set.type);
  const [text, setText] = useState(textOf(set));
  const [ttl, setTtl] = useState(String(set.lines[0]?.ttl ?? TTL_DEFAULT));
  const submit = useSubmit(async () => {
    const records = recordsOf(host.trim().toLowerCase(), type, text, Number(ttl));
    await put('/v1/sandbox/records', { body: { records } });
    toast('Saved. Domains that need these records are checked now.');
    refresh('/v1/sandbox/records');
    onClose();
  });
  const at = (field: string) => submit.at(`body.records.0.${field}`)?.message ?? null;
  return (
    <Dialog title={set.isNew ? 'Add a record' : `Edit ${set.type} at ${set.host}`} onClose={onClose}>
      <Form submit={submit} button="Save" disabled={text.trim() === ''} onCancel={onClose}>
        {set.isNew && (
          <>
            <Field
              label="Name"
              value={host}
              onValue={setHost}
              required
              hint="The whole name, below .test, such as shop.brand.test."
              error={at('host')}
            />
            <Select label="Type" value={type} onValue={setType} choices={RECORD_TYPES.map((one) => [one, one])} />
          </>
        )}
        <TextArea
          label="Values"
          rows={3}
          value={text}
          onValue={setText}
          hint={
            hasPriority(type)
              ? 'One on each line, with its priority first. They replace all records of this type at the name.'
              : 'One on each line, without quotes. They replace all records of this type at the name.'
          }
          error={at('value') ?? at('priority')}
        />
        <Field label="TTL in seconds" value={ttl} onValue={setTtl} inputMode="numeric" required error={at('ttl')} />
      </Form>
    </Dialog>
  );
}
