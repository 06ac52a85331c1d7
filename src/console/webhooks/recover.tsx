import { useState } from 'preact/hooks';
import { post } from '../api.ts';
import { refresh } from '../live.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/fields.tsx';
import { Form, useSubmit } from '../parts/form.tsx';
import { toast } from '../parts/toast.tsx';

const DAY_MS = 86_400_000;
/** A field of the type datetime-local has the local time without a zone. */
const localTime = (ms: number): string =>
  new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** Sends again every event since a time that the endpoint did not get. */
export function Recover({ id, onClose }: { id: string; onClose: () => void }) {
  const [since, setSince] = useState(localTime(Date.now() - DAY_MS));
  const submit = useSubmit(async () => {
    const body = { since: new Date(since).toISOString() };
    let total = 0;
    let more: boolean;
    do {
      const answer = await post('/v1/webhook-endpoints/{id}:recover', { params: { id }, body });
      total += answer.recovered;
      more = answer.more;
    } while (more);
    toast(total === 0 ? 'This endpoint missed no event.' : total === 1 ? '1 event is being sent again.' : `${total.toLocaleString('en')} events are being sent again.`); // prettier-ignore
    refresh('/v1/webhook-endpoints');
    onClose();
  });
  return (
    <Dialog title="Recover missed events" onClose={onClose}>
      <Form submit={submit} button="Send again" disabled={since === ''} onCancel={onClose}>
        <p>
          We send the events since the given time whose attempts are used up, and those that happened while the endpoint
          was disabled. Events that wait for their next attempt need no recovery.
        </p>
        <Field
          label="Since"
          type="datetime-local"
          value={since}
          onValue={setSince}
          required
          hint="Your local time. Events are kept for 30 days."
        />
      </Form>
    </Dialog>
  );
}
