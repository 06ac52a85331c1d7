import type { ApiError } from '../api.ts';
import { Card, Empty, Loading, Problem } from './basics.tsx';

/** A page whose subject is not there: it is still loading, it does not exist, or it could not be loaded. */
export function Unshown({ error, title, hint }: { error: ApiError | null; title: string; hint: string }) {
  if (error === null || error.isTemporary) return <Loading />;
  // The id in the address is one of nothing, or is not an id.
  if (error.status !== 404 && error.status !== 400) return <Problem error={error} />;
  return (
    <Card>
      <Empty title={title}>
        <p>{hint}</p>
      </Empty>
    </Card>
  );
}
