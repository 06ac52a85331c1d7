import { useState } from 'preact/hooks';
import { post } from '../api.ts';
import { useApplicationField } from '../applications.tsx';
import { refresh } from '../live.ts';
import { Button, Card } from '../parts/basics.tsx';
import { Field } from '../parts/fields.tsx';
import { Form, useSubmit } from '../parts/form.tsx';
import { usePlace } from '../place.ts';

/** Connects a domain and opens its screen. */
export function OneDomain() {
  const { go, scope } = usePlace();
  const application = useApplicationField(null, useState<string | null>(null));
  const [hostname, setHostname] = useState('');
  const [customer, setCustomer] = useState('');
  const submit = useSubmit(async () => {
    const external_id = customer.trim() === '' ? null : customer.trim();
    const body = { application_id: application.id, hostname, external_id };
    const { id } = await post('/v1/connections', { body });
    refresh('/v1/connections');
    go(`/domains/${id}`);
  });
  const problem = submit.at('body.hostname');
  return (
    <Card title="One domain">
      <Form submit={submit} button="Connect" disabled={application.id === ''}>
        {application.field}
        <Field
          label="Hostname"
          value={hostname}
          onValue={setHostname}
          required
          inputMode="url"
          autocapitalize="none"
          hint={
            scope.environment === 'test'
              ? 'In the test environment, shop-1.auto.test goes live within seconds.'
              : 'Such as shop.customer.com. The next screen shows the records that the customer adds.'
          }
          error={problem?.message ?? null}
        />
        {problem?.suggestion && (
          <p>
            <Button onClick={() => setHostname(problem.suggestion ?? '')}>{`Use ${problem.suggestion}`}</Button>
          </p>
        )}
        <Field
          label="Customer (optional)"
          value={customer}
          onValue={setCustomer}
          maxLength={255}
          hint="Your own id for the customer."
          error={submit.at('body.external_id')?.message ?? null}
        />
      </Form>
    </Card>
  );
}
