import { useEffect, useState } from 'preact/hooks';
import { Router } from 'wouter-preact';
import { whenSessionEnds } from './api.ts';
import { dropAnswers } from './live.ts';
import { Loading } from './parts/basics.tsx';
import { Toasts } from './parts/toast.tsx';
import { currentSession, SessionContext, type Session } from './session.ts';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';
import { takeFragment } from './fragment.ts';

type View =
  | { kind: 'loading' }
  | { kind: 'unreachable' }
  | { kind: 'sign-in'; current: Session | null; link: string | null; error: string | null }
  /** The session was revoked, or its time is over. */
  | { kind: 'ended' }
  | { kind: 'screens'; session: Session };

const RETRY_MS = 2_000;
const SESSION_CHECK_MS = 60_000;

/** The console: the sign-in page, or the screens of a session. */
export function App() {
  const [view, setView] = useState<View>({ kind: 'loading' });
  useEffect(() => {
    whenSessionEnds(() => {
      dropAnswers();
      setView({ kind: 'ended' });
    });
    void start();
    // A link that is pasted into an open console changes only the fragment.
    window.addEventListener('hashchange', () => void start());
  }, []);

  async function start(): Promise<void> {
    const { link, error } = takeFragment();
    try {
      const session = await currentSession();
      if (session !== null && link === null && error === null) setView({ kind: 'screens', session });
      else setView({ kind: 'sign-in', current: session, link, error });
    } catch {
      setView({ kind: 'unreachable' });
      setTimeout(() => void start(), RETRY_MS);
    }
  }

  const session = view.kind === 'screens' ? view.session : null;
  useSameSession(session, () => setView({ kind: 'ended' }));
  const enter = (signedIn: Session) => {
    dropAnswers();
    setView({ kind: 'screens', session: signedIn });
  };
  return (
    <>
      {view.kind === 'loading' && <Loading />}
      {view.kind === 'unreachable' && <Loading text="We can't reach the service. Trying again…" />}
      {view.kind === 'sign-in' && <SignIn {...view} isEnded={false} onSignedIn={enter} />}
      {view.kind === 'ended' && <SignIn current={null} link={null} error={null} isEnded onSignedIn={enter} />}
      {session && (
        <SessionContext.Provider value={session}>
          <Router base="/console">
            <Shell onSignedOut={() => setView({ kind: 'sign-in', current: null, link: null, error: null })} />
          </Router>
        </SessionContext.Provider>
      )}
      <Toasts />
    </>
  );
}

/** Another tab can sign in to another tenant, whose data must not mix with this page's. The page then starts again. */
function useSameSession(session: Session | null, onEnded: () => void): void {
  useEffect(() => {
    if (session === null) return undefined;
    const check = () => {
      if (document.hidden) return;
      currentSession().then(
        (now) => {
          if (now === null) onEnded();
          else if (now.id !== session.id) location.reload();
        },
        () => undefined, // the next check tries again
      );
    };
    const timer = setInterval(check, SESSION_CHECK_MS);
    document.addEventListener('visibilitychange', check);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', check);
    };
  }, [session]);
}
