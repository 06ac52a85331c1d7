import { useState } from 'preact/hooks';
import { post } from '../api.ts';
import { useApplicationField } from '../applications.tsx';
import { Card } from '../parts/basics.tsx';
import { Field } from '../parts/fields.tsx';
import { Form, useSubmit } from '../parts/form.tsx';
import { usePlace } from '../place.ts';
import { useMay } from '../session.ts';

/** Zones of the sandbox, with the course that a domain below each of them takes. */
const ZONES: readonly (readonly [zone: string, course: string])[] = [
  ['auto.test', 'Publishes its records within seconds and goes live.'],
  ['slow.test', 'Publishes its records after a minute.'],
  ['stall.test', 'Proves ownership, never publishes its records, and stalls within a minute.'],
  ['fail.test', 'Stalls, and fails with propagation_timeout within two minutes.'],
  ['conflict.test', 'Has a CNAME of another service in the way.'],
  ['caa.test', 'Has a CAA record that excludes our certificate authority.'],
  ['drift.test', 'Goes live, and loses its records a minute later.'],
  ['expire.test', 'Goes live, and its certificate ends a minute later without a renewal.'],
  ['brand.test', 'Waits for the records that you add below.'],
];

/** Connects a new name that behaves as chosen, so that a person can see each course of a domain. */
export function Behaviours() {
  const { go } = usePlace();
  const mayConnect = useMay('connections:write');
  const [zone, setZone] = useState('auto.test');
  const [label, setLabel] = useState(randomLabel);
  const application = useApplicationField(null, useState<string | null>(null));
  const hostname = `${label.trim()}.${zone}`;
  const submit = useSubmit(async () => {
    const { id } = await post('/v1/connections', { body: { application_id: application.id, hostname } });
    go(`/domains/${id}`);
  });
  return (
    <Card title="Rehearse">
      <p class="muted">Names below .test exist only here. The end of a name decides what happens to it.</p>
      {mayConnect ? (
        <Form submit={submit} button={`Connect ${hostname}`} disabled={application.id === '' || label.trim() === ''}>
          <fieldset class="behaviours">
            <legend class="hidden">Behaviour</legend>
            {ZONES.map(([name, course]) => (
              <label key={name}>
                <input type="radio" name="behaviour" checked={zone === name} onChange={() => setZone(name)} />
                <span>
                  <code>{`*.${name}`}</code>
                  <small>{course}</small>
                </span>
              </label>
            ))}
          </fieldset>
          <div class="grid">
            {application.field}
            <Field
              label="First label"
              value={label}
              onValue={setLabel}
              required
              error={submit.at('body.hostname')?.message ?? null}
            />
          </div>
        </Form>
      ) : (
        <dl class="facts">
          {ZONES.map(([name, course]) => (
            <div key={name}>
              <dt>
                <code>{`*.${name}`}</code>
              </dt>
              <dd>{course}</dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  );
}

const randomLabel = (): string => `shop-${Math.random().toString(36).slice(2, 6)}`;
