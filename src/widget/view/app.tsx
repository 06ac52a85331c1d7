import { Component, type ComponentChildren } from 'preact';
import type { CloseReason } from '../types.ts';
import type { View } from './context.ts';
import { Button, Icon, Notice } from './parts.tsx';
import { Busy } from './notices.tsx';
import { SCREENS } from './screens.tsx';

/** The window: the brand, the screen, what lies over it, and the voice that tells of changes. */
export function App({ view }: { view: View }) {
  const { state, t, options } = view;
  const leave = () => requestClose(view);
  const Screen = SCREENS[state.screen];
  const offline = !state.reached;
  return (
    <dialog
      ref={showWindow}
      class="window"
      dir={view.dir}
      lang={view.locale}
      aria-labelledby="title"
      onKeyDown={(event) => {
        // Escape asks; the browser's own way would close at the second press without asking.
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        if (state.overlay === null) leave();
        else if (state.overlay === 'exit') view.flow.ask(null);
      }}
      onCancel={(event) => {
        event.preventDefault();
        if (state.overlay === null) leave();
      }}
      onClose={() => view.close(reasonOf(view))}
    >
      <header class="top">
        <Brand view={view} />
        <button type="button" class="close" aria-label={t('close')} onClick={leave}>
          <Icon name="cross" />
        </button>
      </header>
      {offline && (
        <div class="offline">
          <Notice kind="warning">{t(navigator.onLine ? 'unreachable' : 'offline')}</Notice>
        </div>
      )}
      {state.resuming ? (
        <Busy title={t('analysisBusy')} domain={state.domain} />
      ) : (
        <Screen key={state.screen} view={view} />
      )}
      {options.theme?.hideBranding !== true && <p class="branding">{t('setupBy', { name: 'Svc' })}</p>}
      <div class="hidden" role="status" aria-live="polite" id="voice" />
      {state.overlay === 'exit' && <ExitQuestion view={view} />}
      {state.overlay === 'expired' && <SessionEnded view={view} />}
    </dialog>
  );
}

/** A flow that is under way is not left without a question; what is finished, failed or not begun is. */
function requestClose(view: View): void {
  const { screen, connection, overlay } = view.state;
  const underWay = connection !== null && screen !== 'success' && screen !== 'error';
  if (overlay === null && underWay) view.flow.ask('exit');
  else view.close(reasonOf(view));
}

function reasonOf({ state: { screen, overlay } }: View): CloseReason {
  if (overlay === 'expired') return 'session_expired';
  if (screen === 'success') return 'completed';
  return screen === 'error' ? 'error' : 'user_exit';
}

/** The dialog itself would give the focus to the button that closes it. */
function showWindow(dialog: HTMLDialogElement | null): void {
  dialog?.showModal();
  (dialog?.querySelector('input') ?? dialog?.querySelector('h1'))?.focus();
}

class Brand extends Component<{ view: View }, { broken?: boolean }> {
  override render() {
    const { options } = this.props.view;
    const { broken = false } = this.state;
    const logo = options.theme?.logoUrl;
    const name = options.brandName ?? '';
    if (logo === undefined || broken) return <span class="brand">{name}</span>;
    const giveUp = () => this.setState({ broken: true });
    return <img class="brand" src={logo} alt={name} referrerpolicy="no-referrer" onError={giveUp} />;
  }
}

const showOverlay = (dialog: HTMLDialogElement | null): void => dialog?.showModal();

class Overlay extends Component<{ title: string; text: string; children: ComponentChildren }> {
  /** Closed before it is taken away, so that the browser gives the focus back to where it was. */
  override componentWillUnmount(): void {
    (this.base as HTMLDialogElement).close();
  }

  override render() {
    const { title, text, children } = this.props;
    return (
      <dialog
        ref={showOverlay}
        class="overlay"
        role="alertdialog"
        aria-labelledby="overlay-title"
        aria-describedby="overlay-text"
        onCancel={(event) => event.preventDefault()}
        onClose={(event) => event.stopPropagation()}
      >
        <h2 id="overlay-title">{title}</h2>
        <p id="overlay-text">{text}</p>
        <div class="actions">{children}</div>
      </dialog>
    );
  }
}

function ExitQuestion({ view }: { view: View }) {
  const { t, flow, close } = view;
  return (
    <Overlay title={t('exitTitle')} text={t('exitText')}>
      <Button onClick={() => flow.ask(null)}>{t('exitStay')}</Button>
      <Button kind="quiet" onClick={() => close('user_exit')}>
        {t('exitLeave')}
      </Button>
    </Overlay>
  );
}

function SessionEnded({ view }: { view: View }) {
  const { t, close, brand } = view;
  return (
    <Overlay title={t('expiredTitle')} text={t('expiredText', { brand })}>
      <Button onClick={() => close('session_expired')}>{t('close')}</Button>
    </Overlay>
  );
}
