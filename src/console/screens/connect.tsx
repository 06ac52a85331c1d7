import { BatchList } from '../connect/batch-list.tsx';
import { FromFile } from '../connect/from-file.tsx';
import { OneDomain } from '../connect/one-domain.tsx';
import { Page } from '../parts/basics.tsx';
import { usePlace } from '../place.ts';

/** Connect: one domain, or a file of them, and the files of before. */
export default function Connect() {
  const { environment, applicationId } = usePlace().scope;
  // The forms belong to a scope: an application of the other environment must not stay chosen.
  return (
    <Page title="Connect">
      <div class="connect" key={`${environment} ${applicationId ?? ''}`}>
        <OneDomain />
        <FromFile />
      </div>
      <BatchList />
    </Page>
  );
}
