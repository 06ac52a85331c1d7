import { unicodeHostname } from '../../domain/idn.ts';
import type { View } from './context.ts';
import { Heading, Spinner } from './parts.tsx';

/** Shown while the customer waits a few seconds for the service. */
export function Busy({ title, view }: { title: string; view: View }) {
  return (
    <div class="step">
      <div class="body centred">
        <Working />
        <Heading>{title}</Heading>
        <Domain view={view} />
      </div>
    </div>
  );
}

export const Working = () => (
  <span class="medal quiet" aria-hidden="true">
    <Spinner />
  </span>
);

/** The domain, left to right in every language, and the way to another one. A long domain can break anywhere. */
export function Domain({ view }: { view: View }) {
  const { t, flow, state, isBound } = view;
  return (
    <div class="domain">
      <bdi dir="ltr">{unicodeHostname(state.domain ?? '')}</bdi>
      {!isBound && (
        <button type="button" class="link" onClick={() => flow.restart()}>
          {t('otherDomain')}
        </button>
      )}
    </div>
  );
}
