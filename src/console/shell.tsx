import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, Route, Switch } from 'wouter-preact';
import { get } from './api.ts';
import { Badge } from './parts/badge.tsx';
import { Button, Empty, Loading, Page } from './parts/basics.tsx';
import { Icon } from './parts/icon.tsx';
import { Time } from './parts/time.tsx';
import type { Schemas } from './paths.ts';
import { usePlace } from './place.ts';
import { SCREENS, type Screen } from './screens.ts';
import { signOut, useMay, useSession, type Session } from './session.ts';
import { reachable } from './status.ts';
import { useStore } from './store.ts';

/** Navigation around the screens. The environment and the application are always visible. */
export function Shell({ onSignedOut }: { onSignedOut: () => void }) {
  const { path, scope, href } = usePlace();
  const session = useSession();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  useFocusOnContent(path);
  useSearchKey();
  return (
    <div class={`shell ${scope.environment}`}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="top">
        <Button kind="plain" icon="menu" label={isOpen ? 'Close menu' : 'Open menu'} onClick={() => setOpen(!isOpen)}>
          {null}
        </Button>
        <Link class="brand" href={href('/')}>
          {session.tenant.name}
        </Link>
        <EnvironmentBadge />
      </header>
      <aside class={isOpen ? 'side open' : 'side'}>
        <div class="tenant">
          <strong>{session.tenant.name}</strong>
          {session.environment === 'test' && <EnvironmentBadge />}
        </div>
        <ScopeSwitch />
        <Menu />
        <Account session={session} onSignedOut={onSignedOut} />
      </aside>
      <main id="content" tabIndex={-1}>
        <Unreachable />
        <Switch>
          {SCREENS.map((screen) => (
            <Route key={screen.path} path={screen.path}>
              <Loaded screen={screen} />
            </Route>
          ))}
          <Route>
            <Page title="Not found">
              <Empty title="There is no such screen.">
                <p>Choose one from the menu.</p>
              </Empty>
            </Page>
          </Route>
        </Switch>
      </main>
    </div>
  );
}

function Menu() {
  const { path, href } = usePlace();
  const session = useSession();
  const isHere = (screen: Screen) => (screen.path === '/' ? path === '/' : path.startsWith(screen.path));
  return (
    <nav aria-label="Screens">
      <ul class="menu">
        {SCREENS.filter((screen) => isInMenu(screen, session)).map((screen) => (
          <li key={screen.path}>
            <Link href={href(screen.path)} aria-current={isHere(screen) ? 'page' : undefined}>
              {screen.icon && <Icon name={screen.icon} />}
              {screen.title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const isInMenu = ({ icon, needs, environment }: Screen, session: Session): boolean =>
  icon !== null && mayOpen(needs, session.scopes) && (environment ?? session.environment) === session.environment;

const mayOpen = (needs: Screen['needs'], scopes: Session['scopes']): boolean =>
  needs.length === 0 || needs.some((scope) => scopes.includes(scope));

const EnvironmentBadge = () =>
  usePlace().scope.environment === 'live' ? <Badge tone="good">Live</Badge> : <Badge tone="warn">Test</Badge>;

/** Chooses the environment, if the session reaches both, and the application, if the session may list them. */
function ScopeSwitch() {
  const { scope, setScope } = usePlace();
  const session = useSession();
  const applications = useApplications(useMay('apps:admin')).filter(
    ({ environment }) => environment === scope.environment,
  );
  return (
    <div class="scope">
      {session.environment === 'live' && (
        <fieldset class="segments">
          <legend class="hidden">Environment</legend>
          {(['live', 'test'] as const).map((environment) => (
            <label key={environment}>
              <input
                type="radio"
                name="environment"
                checked={scope.environment === environment}
                onChange={() => setScope({ environment, applicationId: null })}
              />
              <span>{environment === 'live' ? 'Live' : 'Test'}</span>
            </label>
          ))}
        </fieldset>
      )}
      {applications.length > 0 && (
        <label>
          <span class="hidden">Application</span>
          <select
            value={scope.applicationId ?? ''}
            onChange={(event) => setScope({ applicationId: event.currentTarget.value || null })}
          >
            <option value="">All applications</option>
            {applications.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}

type Application = Schemas['Application'];
const MAX_PAGES = 10;

/** Reads the applications once: the switch needs every name, and they rarely change. */
function useApplications(isAllowed: boolean): readonly Application[] {
  const [applications, setApplications] = useState<readonly Application[]>([]);
  useEffect(() => {
    if (isAllowed) void readAll().then(setApplications, () => undefined);
  }, [isAllowed]);
  return applications;
}

async function readAll(): Promise<Application[]> {
  const all: Application[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { data, next_cursor }: { data: Application[]; next_cursor: string | null } = await get('/v1/applications', {
      query: { limit: 100, cursor },
    });
    all.push(...data);
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  return all;
}

const ROLES = { reader: 'Reader', member: 'Member', admin: 'Admin' };

const Account = ({ session, onSignedOut }: { session: Session; onSignedOut: () => void }) => (
  <div class="account">
    <p>
      {ROLES[session.role]}, session ends <Time at={session.expires_at} />
    </p>
    <Button
      kind="plain"
      onClick={async () => {
        await signOut();
        onSignedOut();
      }}
    >
      Sign out
    </Button>
  </div>
);

/** A line that appears while the service does not answer. The screens keep their content and try again on their own. */
const Unreachable = () => (
  <div role="status">
    {!useStore(reachable) && (
      <p class="offline">
        <Icon name="alert" />
        We can't reach the service. This page shows what it last knew, and continues on its own.
      </p>
    )}
  </div>
);

/** Loads a screen's file. A browser never asks again for a module that failed, so the page reloads instead. */
function Loaded({ screen }: { screen: Screen }) {
  const { scopes } = useSession();
  const [component, setComponent] = useState<{ of: ComponentType } | null>(null);
  const isAllowed = mayOpen(screen.needs, scopes);
  useEffect(() => {
    let isShown = true;
    const reload = () => {
      if (!isShown) return;
      fetch(location.href).then(
        () => location.reload(),
        () => setTimeout(reload, RETRY_MS),
      );
    };
    if (isAllowed)
      screen.load().then(
        (module) => isShown && setComponent({ of: module.default }),
        () => setTimeout(reload, RETRY_MS),
      );
    return () => {
      isShown = false;
    };
  }, [screen]);
  if (!isAllowed)
    return (
      <Page title={screen.title}>
        <Empty title="Your session can't open this screen.">
          <p>
            It needs the scope <code>{screen.needs.join(' or ')}</code>. Ask for a link with that scope.
          </p>
        </Empty>
      </Page>
    );
  return component === null ? <Loading /> : <component.of />;
}
const RETRY_MS = 2_000;

/** Begins each screen at its top and moves the focus into it, as a new page would. Lists restore their own place. */
function useFocusOnContent(path: string): void {
  const first = useRef(path);
  useEffect(() => {
    history.scrollRestoration = 'manual';
    if (first.current === path) return;
    first.current = '';
    window.scrollTo(0, 0);
    document.getElementById('content')?.focus({ preventScroll: true });
  }, [path]);
}

/** `/` puts the cursor into the screen's search field. */
function useSearchKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, dialog');
      const field = document.querySelector<HTMLInputElement>('input[type="search"]');
      if (event.key !== '/' || isTyping || field === null || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      field.focus();
      field.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
