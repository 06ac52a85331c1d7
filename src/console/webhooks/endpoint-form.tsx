import { useState } from 'preact/hooks';
import { patch, post } from '../api.ts';
import { useApplicationField } from '../applications.tsx';
import { refresh } from '../live.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/fields.tsx';
import { Form, useSubmit } from '../parts/form.tsx';
import { toast } from '../parts/toast.tsx';
import type { Schemas } from '../paths.ts';
import { usePlace } from '../place.ts';
import { EventTypes, FIRST_EVENTS } from './event-types.tsx';

export type Endpoint = Schemas['WebhookEndpoint'];

/** Creates an endpoint, or edits one. `onCreated` gets the signing secret, which the API returns only once. */
export function EndpointForm(props: {
  endpoint: Endpoint | null;
  onClose: () => void;
  onCreated?: (endpoint: Endpoint, secret: string) => void;
}) {
  const { endpoint, onClose, onCreated } = props;
  const { scope } = usePlace();
  const application = useApplicationField(endpoint?.application_id ?? null, useState<string | null>(null));
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [events, setEvents] = useState<readonly string[]>(endpoint?.events ?? FIRST_EVENTS);
  const submit = useSubmit(async () => {
    if (endpoint === null) {
      const created = await post('/v1/webhook-endpoints', { body: { application_id: application.id, url, events } });
      onCreated?.(created, created.signing_secret ?? '');
    } else {
      await patch('/v1/webhook-endpoints/{id}', { params: { id: endpoint.id }, body: { url, events } });
      toast('The endpoint is saved.');
    }
    refresh('/v1/webhook-endpoints');
    onClose();
  });
  return (
    <Dialog title={endpoint === null ? 'Add an endpoint' : 'Edit the endpoint'} onClose={onClose}>
      <Form
        submit={submit}
        button={endpoint === null ? 'Add' : 'Save'}
        disabled={events.length === 0 || application.id === ''}
        onCancel={onClose}
      >
        {endpoint === null && application.field}
        <Field
          label="URL"
          value={url}
          onValue={setUrl}
          required
          inputMode="url"
          hint={scope.environment === 'test' ? 'http or https.' : 'It must begin with https.'}
          error={submit.at('body.url')?.message ?? null}
        />
        <EventTypes chosen={events} onChange={setEvents} />
      </Form>
    </Dialog>
  );
}
