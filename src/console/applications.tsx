import type { ComponentChildren } from 'preact';
import { useLive } from './live.ts';
import { Card, Empty, Loading, Problem } from './parts/basics.tsx';
import { Field, Select } from './parts/fields.tsx';
import type { Schemas } from './paths.ts';
import { scopeQuery, usePlace } from './place.ts';
import { useMay } from './session.ts';

type Application = Pick<Schemas['Application'], 'id' | 'name'>;

const RARELY_MS = 600_000;

/** Returns the applications in the scope: the chosen one, or those of the environment. */
function useApplications() {
  const { scope } = usePlace();
  const { data, error } = useLive(useMay('apps:admin') ? '/v1/applications' : null, { query: { limit: 100 } }, RARELY_MS); // prettier-ignore
  const { environment, applicationId } = scope;
  const known = data?.data.filter((one) => one.environment === environment);
  if (applicationId === null) return { applications: known, error };
  const chosen = known?.find(({ id }) => id === applicationId) ?? { id: applicationId, name: applicationId };
  return { applications: known && [chosen], error };
}

/** Shows content for each application in the scope, because the API lists these objects by application. */
export function PerApplication({ children }: { children: (application: Application) => ComponentChildren }) {
  const { applications, error } = useApplications();
  if (applications === undefined) return error === null || error.isTemporary ? <Loading /> : <Problem error={error} />;
  if (applications.length === 0) return <NoApplication />;
  if (applications.length > MANY)
    return (
      <Card>
        <Empty title="Choose an application">
          <p>You have {applications.length} applications in this environment. Choose one in the menu.</p>
        </Empty>
      </Card>
    );
  return (
    <>
      {applications.map((application) => (
        <Card key={application.id} title={application.name}>
          {children(application)}
        </Card>
      ))}
    </>
  );
}
/** Each application polls, so more of them wait for a choice. */
const MANY = 10;

const NoApplication = () => (
  <Card>
    <Empty title="There is no application in this environment">
      <p>Create one with an API key: POST /v1/applications.</p>
    </Empty>
  </Card>
);

/**
 * Returns the application of a form, and the field that chooses it. A session that may not list applications gets the
 * application of its newest domain, or types an id.
 */
export function useApplicationField(initial: string | null, [chosen, choose]: [string | null, (id: string) => void]) {
  const mayList = useMay('apps:admin');
  const { scope } = usePlace();
  const { applications } = useApplications();
  const newest = useLive(mayList ? null : '/v1/connections', { query: { ...scopeQuery(scope), limit: 1 } }, RARELY_MS);
  const proposed = mayList ? applications?.[0]?.id : newest.data?.data[0]?.application_id;
  const id = chosen ?? initial ?? scope.applicationId ?? proposed ?? '';
  const field = mayList ? (
    <Select
      label="Application"
      value={id}
      onValue={choose}
      choices={(applications ?? []).map((one) => [one.id, one.name])}
    />
  ) : (
    <Field
      label="Application"
      value={id}
      onValue={choose}
      required
      hint="Id of the application. Your session may not list applications."
    />
  );
  return { id, field };
}
