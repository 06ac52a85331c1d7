import { describeFinding, generalFindings, type View } from './context.ts';
import { Heading, Notice, Spinner } from './parts.tsx';

export function GeneralFindings({ view }: { view: View }) {
  const { connection } = view.state;
  if (connection === null) return null;
  return (
    <>
      {generalFindings(connection).map((finding) => {
        const text = describeFinding(view, finding);
        return text === null ? null : (
          <Notice key={finding.code} kind="warning">
            {text}
          </Notice>
        );
      })}
    </>
  );
}

/** Shown while the customer waits a few seconds for the service. */
export function Busy({ title, domain }: { title: string; domain: string | null }) {
  return (
    <div class="step">
      <div class="body centred">
        <Working />
        <Heading>{title}</Heading>
        <Domain name={domain} />
      </div>
    </div>
  );
}

export const Working = () => (
  <span class="medal quiet" aria-hidden="true">
    <Spinner />
  </span>
);

/** A domain on its own line, left to right in every language. A long domain can break anywhere. */
export const Domain = ({ name }: { name: string | null }) => (
  <p class="domain">
    <bdi dir="ltr">{name}</bdi>
  </p>
);
