import { generalFindings, told, type View } from './context.ts';
import { Heading, Notice, Spinner } from './parts.tsx';

/** What is wrong with the zone or the setup as such. */
export function GeneralFindings({ view }: { view: View }) {
  const { connection } = view.state;
  if (connection === null) return null;
  return (
    <>
      {generalFindings(connection).map((finding) => {
        const text = told(view, finding);
        return text === null ? null : (
          <Notice key={finding.code} kind="warning">
            {text}
          </Notice>
        );
      })}
    </>
  );
}

/** Something of ours is under way that ends soon. */
export function Busy({ title, domain }: { title: string; domain: string | null }) {
  return (
    <div class="screen">
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

/** On a line of its own, where a long one can break as it must, and from left to right in every language. */
export const Domain = ({ name }: { name: string | null }) => (
  <p class="domain">
    <bdi dir="ltr">{name}</bdi>
  </p>
);
