import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Spinner } from '../../widget/view/parts.tsx';
import { sentenceOf } from '../api.ts';
import { usePlace } from '../place.ts';
import type { Query } from '../paths.ts';
import { Icon, type IconName } from './icon.tsx';
import { toast } from './toast.tsx';

/** A screen: its heading, actions next to it, and its content. The title of the window follows the heading. */
export function Page(props: {
  title: string;
  heading?: ComponentChildren;
  actions?: ComponentChildren;
  back?: { path: string; text: string };
  children: ComponentChildren;
}) {
  const { title, heading = title, actions, back, children } = props;
  useEffect(() => {
    document.title = `${title} · Console`;
  }, [title]);
  return (
    <>
      {back && (
        <A class="back" to={back.path}>
          <Icon name="back" />
          {back.text}
        </A>
      )}
      <header class="page-head">
        <h1 tabIndex={-1}>{heading}</h1>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** A titled section of a screen. */
export function Card(props: {
  title?: string;
  aside?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}) {
  const { title, aside, children } = props;
  return (
    <section class={`card ${props.class ?? ''}`}>
      {title !== undefined && (
        <header class="card-head">
          <h2>{title}</h2>
          {aside !== undefined && <div>{aside}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

/** A link to a screen in the same scope. */
export function A(props: { to: string; query?: Query; class?: string; children: ComponentChildren; title?: string }) {
  const { href } = usePlace();
  const { to, query, ...rest } = props;
  return <Link href={href(to, query)} {...rest} />;
}

type ButtonProps = {
  children: ComponentChildren;
  /** A promise shows a spinner until it settles. A rejection becomes a message. */
  onClick?: () => unknown;
  kind?: 'primary' | 'quiet' | 'danger' | 'plain';
  icon?: IconName;
  submit?: boolean;
  disabled?: boolean;
  busy?: boolean;
  label?: string;
};

export function Button({ children, onClick, kind = 'quiet', icon, submit, disabled, busy, label }: ButtonProps) {
  const [isRunning, setRunning] = useState(false);
  const isBusy = busy ?? isRunning;
  const run = () => {
    const result = onClick?.();
    if (!(result instanceof Promise)) return;
    setRunning(true);
    result.catch((error: unknown) => toast(sentenceOf(error), 'danger')).then(() => setRunning(false), () => undefined); // prettier-ignore
  };
  return (
    <button
      type={submit ? 'submit' : 'button'}
      class={`button ${kind}`}
      aria-label={label}
      aria-disabled={isBusy || disabled || undefined}
      onClick={isBusy || disabled ? (event) => event.preventDefault() : run}
    >
      {isBusy ? <Spinner /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export const Loading = ({ text = 'Loading…' }: { text?: string }) => (
  <p class="state" role="status">
    <Spinner />
    {text}
  </p>
);

export const Problem = ({ error, children }: { error: unknown; children?: ComponentChildren }) => (
  <div class="state bad" role="alert">
    <Icon name="alert" />
    <div>
      <p>{sentenceOf(error)}</p>
      {children}
    </div>
  </div>
);

export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="state empty">
    <strong>{title}</strong>
    {children}
  </div>
);

/** A list of terms and values. Values without a content are left out. */
export const Facts = ({ of }: { of: readonly (readonly [term: string, value: ComponentChildren])[] }) => (
  <dl class="facts">
    {of
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
