import { useState } from 'preact/hooks';
import { patch, post } from '../api.ts';
import { useApplicationField } from '../applications.tsx';
import { Guide } from '../credentials/guide.tsx';
import { refresh, useLive } from '../live.ts';
import { Card, Loading, Page, Problem } from '../parts/basics.tsx';
import { Field, Select, TextArea } from '../parts/fields.tsx';
import { Form, useSubmit } from '../parts/form.tsx';
import { toast } from '../parts/toast.tsx';
import type { Schemas } from '../paths.ts';
import { usePlace } from '../place.ts';

type Provider = Schemas['Provider'];
const BACK = { path: '/credentials', text: 'Credentials' };

/** Add or replace a credential: the provider's fields, next to the provider's own instructions. */
export default function CredentialForm() {
  const { query, scope } = usePlace();
  const { data, error } = useLive('/v1/providers', {}, 3_600_000);
  const title = query['replace'] ? 'Replace a credential' : 'Add a credential';
  // The sandbox has no zones in the live environment.
  const providers = data?.data.filter(({ slug }) => scope.environment === 'test' || slug !== 'sandbox');
  const provider = providers?.find(({ slug }) => slug === query['provider']) ?? providers?.[0];
  return (
    <Page title={title} back={BACK}>
      {provider !== undefined ? (
        <div class="columns">
          <Editor key={`${provider.slug} ${scope.environment}`} provider={provider} providers={providers ?? []} />
          <div>
            <Guide provider={provider} />
            {provider.limitations.length > 0 && <Limitations of={provider.limitations} />}
          </div>
        </div>
      ) : error === null || error.isTemporary ? (
        <Loading />
      ) : (
        <Problem error={error} />
      )}
    </Page>
  );
}

const Limitations = ({ of }: { of: readonly string[] }) => (
  <Card title="Good to know">
    <ul class="limitations">
      {of.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  </Card>
);

function Editor({ provider, providers }: { provider: Provider; providers: readonly Provider[] }) {
  const { query, set, go } = usePlace();
  const cid = query['replace'];
  const application = useApplicationField(query['application'] ?? null, useState<string | null>(null));
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [label, setLabel] = useState('');
  const [expires, setExpires] = useState('');
  const submit = useSubmit(async () => {
    const body = {
      credentials: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
      ...(label.trim() === '' ? {} : { label: label.trim() }),
      ...(expires === '' ? {} : { expires_at: new Date(expires).toISOString() }),
    };
    const params = { id: application.id, cid: cid ?? '' };
    const { zones } =
      cid === undefined
        ? await post('/v1/applications/{id}/credentials', { params, body: { provider: provider.slug, ...body } })
        : await patch('/v1/applications/{id}/credentials/{cid}', { params, body });
    toast(zones.length === 0 ? 'The credential is saved.' : `Saved. It writes ${zones.slice(0, 3).join(', ')}${zones.length > 3 ? ' and others' : ''}.`); // prettier-ignore
    refresh('/v1/applications/');
    go('/credentials');
  });
  return (
    <Card title={provider.name}>
      <Form
        submit={submit}
        button={cid === undefined ? 'Test and save' : 'Test and replace'}
        disabled={application.id === ''}
        onCancel={() => go('/credentials')}
      >
        {cid === undefined && (
          <>
            {application.field}
            <Select
              label="DNS provider"
              value={provider.slug}
              choices={providers.map(({ slug, name }) => [slug, name])}
              onValue={(slug) => set({ provider: slug }, { replace: true })}
            />
          </>
        )}
        {provider.auth.fields.map((field) => (
          <ProviderField
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            onValue={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))}
        <Field label="Label (optional)" value={label} onValue={setLabel} maxLength={100} hint="Its name in the list." />
        <Field
          label="Expires (optional)"
          type="date"
          value={expires}
          onValue={setExpires}
          hint="If the provider does not report it. We warn you three weeks before."
        />
        <p class="hint">We test the credential at the provider before we save it encrypted. It is never shown again.</p>
      </Form>
    </Card>
  );
}

/** A service account of Google is a JSON document of several lines. */
const isLong = (name: string): boolean => name === 'service_account_key';

function ProviderField(props: {
  field: Provider['auth']['fields'][number];
  value: string;
  onValue: (value: string) => void;
}) {
  const { field, value, onValue } = props;
  const label = field.required ? field.label : `${field.label} (optional)`;
  if (isLong(field.name)) return <TextArea label={label} hint={field.help} value={value} onValue={onValue} />;
  return (
    <Field
      label={label}
      hint={field.help}
      value={value}
      onValue={onValue}
      required={field.required}
      // A password manager must not offer to save a tenant's API token as a password.
      type={field.secret ? 'password' : 'text'}
      autoComplete={field.secret ? 'new-password' : 'off'}
    />
  );
}
