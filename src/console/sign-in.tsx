import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Notice } from '../widget/view/parts.tsx';
import { ApiError, sentenceOf } from './api.ts';
import { Badge } from './parts/badge.tsx';
import { Button, Facts, Loading } from './parts/basics.tsx';
import { previewLink, signInToDemo, spendLink, type Preview, type Session } from './session.ts';

interface SignInProps {
  /** Session that this browser already has. Signing in replaces it. */
  current: Session | null;
  /** Secret of a one-time link. */
  link: string | null;
  /** Code of a failed sign-in by OpenID Connect. */
  error: string | null;
  /** Whether a session ended while the page was open. */
  isEnded: boolean;
  onSignedIn: (session: Session) => void;
}

const flags = document.body.dataset;

/** The page before a session: it shows what a link signs in to, and only its button spends the link. */
export function SignIn({ current, link, error, isEnded, onSignedIn }: SignInProps) {
  useEffect(() => {
    document.title = 'Sign in · Console';
  }, []);
  return (
    <main class="sign-in">
      <h1>{isEnded ? 'Your session has ended' : 'Domain console'}</h1>
      {isEnded && <p>It was revoked, or its time is over. Sign in again to continue where you were.</p>}
      {error !== null && (
        <Notice kind="danger" title="We couldn't sign you in">
          <p>{ERRORS[error] ?? 'Signing in failed. Try again.'}</p>
        </Notice>
      )}
      {flags['insecure'] === undefined ? (
        <>
          {link !== null && <FromLink link={link} current={current} onSignedIn={onSignedIn} />}
          <Ways isAlone={link === null} onSignedIn={onSignedIn} />
        </>
      ) : (
        <Notice kind="warning" title="You can't sign in here">
          <p>
            This service is reached over plain http, so a session could be read on the way. Ask the operator to set an
            https address (BASE_URL).
          </p>
        </Notice>
      )}
    </main>
  );
}

const ERRORS: Readonly<Record<string, string>> = {
  oidc_refused: 'Your identity provider refused to sign you in. Ask its administrator for access.',
  oidc_role: 'Your account has no role for this console. Ask your administrator for reader, member or admin.',
  oidc_tenant: "Your account belongs to no tenant of this service. Ask the service's operator.",
  oidc_failed: "Your identity provider's answer could not be used. Try again, and ask the operator if it persists.",
};

const ROLES: Record<Session['role'], string> = {
  reader: 'Reader: sees everything, changes nothing',
  member: 'Member: sees and changes what its scopes allow',
  admin: 'Admin: sees and changes everything, but creates no keys and no sessions',
};

function FromLink({ link, current, onSignedIn }: Pick<SignInProps, 'current' | 'onSignedIn'> & { link: string }) {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    previewLink(link).then(setPreview, setFailure);
  }, [link]);
  if (failure !== null) return <BadLink failure={failure} />;
  if (preview === null) return <Loading text="Reading your link…" />;
  const signIn = async () => {
    try {
      onSignedIn(await spendLink(link));
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error;
      setFailure(error);
    }
  };
  const isOther = current !== null && current.tenant.id !== preview.tenant.id;
  return (
    <div class="card">
      <Facts
        of={[
          ['Tenant', <strong>{preview.tenant.name}</strong>],
          ['Role', ROLES[preview.role]],
          ['Environment', <Environment of={preview.environment} />],
        ]}
      />
      {current !== null && (
        <Notice kind="warning" title="You are already signed in">
          <p>
            {isOther
              ? `This browser has a session of ${current.tenant.name}. Continuing ends that session.`
              : 'Continuing replaces your present session of this tenant.'}
          </p>
        </Notice>
      )}
      <div class="actions">
        <Button kind="primary" onClick={signIn}>
          {current === null ? 'Sign in' : 'Replace the session and sign in'}
        </Button>
        {current !== null && <Button onClick={() => onSignedIn(current)}>Keep the present session</Button>}
      </div>
    </div>
  );
}

const BadLink = ({ failure }: { failure: unknown }) => (
  <Notice kind="danger" title="This link doesn't work">
    <p>
      {failure instanceof ApiError && failure.status === 401
        ? 'It was used before, or it is older than two minutes. Get a new link where you found this one.'
        : sentenceOf(failure)}
    </p>
  </Notice>
);

const Environment = ({ of }: { of: Session['environment'] }): ComponentChildren =>
  of === 'live' ? <Badge tone="good">Live</Badge> : <Badge tone="warn">Test</Badge>;

/** The other ways to sign in, and how to get a link. */
function Ways({ isAlone, onSignedIn }: { isAlone: boolean; onSignedIn: (session: Session) => void }) {
  const hasOidc = flags['oidc'] !== undefined;
  const hasDemo = flags['demo'] !== undefined;
  return (
    <>
      {(hasOidc || (hasDemo && isAlone)) && (
        <div class="actions">
          {hasOidc && (
            <a class="button quiet" href="/console/oidc/start">
              Sign in with your organization
            </a>
          )}
          {hasDemo && isAlone && (
            <Button kind={hasOidc ? 'quiet' : 'primary'} onClick={async () => onSignedIn(await signInToDemo())}>
              Sign in as the demo tenant
            </Button>
          )}
        </div>
      )}
      {isAlone && (
        <p class="muted">
          You sign in by a link. Your own admin page gets one from <code>POST /v1/console-sessions</code>, and the
          operator of this service gets one from <code>cli console link</code>. A link works once, for two minutes.
        </p>
      )}
    </>
  );
}
