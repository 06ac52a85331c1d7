import { Component, type ComponentChildren } from 'preact';
import type { CloseReason } from '../types.ts';
import { needsCustomer } from '../step.ts';
import type { View } from './context.ts';
import type { Setup } from './later-steps.ts';
import { Button, Icon, Notice } from './parts.tsx';
import { Busy } from './notices.tsx';
import { EnterDomain, ErrorStep } from './steps.tsx';

/** The widget's dialog: brand, current step, overlay, and the live region for screen readers. */
export function App({ view, setup }: { view: View; setup: Setup | null }) {
  const { state, t, options, productName } = view;
  const leave = () => requestClose(view);
  return (
    <dialog
      ref={showWindow}
      class="window"
      dir={view.dir}
      lang={view.locale}
      aria-labelledby="title"
      onKeyDown={(event) => {
        // Without this, the browser would close the dialog at the second Escape without asking.
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        if (state.overlay === null) leave();
        else if (state.overlay === 'exit') view.flow.setOverlay(null);
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
      {!state.reachable && (
        <div class="offline">
          <Notice kind="warning">{t(navigator.onLine ? 'unreachable' : 'offline')}</Notice>
        </div>
      )}
      <Step view={view} setup={setup} />
      {productName !== null && options.theme?.hideBranding !== true && (
        <p class="branding">{t('setupBy', { name: productName })}</p>
      )}
      <div class="hidden" role="status" aria-live="polite" id="live" />
      {state.overlay === 'exit' && <ExitQuestion view={view} />}
      {state.overlay === 'expired' && <SessionEnded view={view} />}
    </dialog>
  );
}

function Step({ view, setup }: { view: View; setup: Setup | null }) {
  const { step, resuming, check } = view.state;
  if (step === 'error') return <ErrorStep view={view} />;
  if (step === 'enter_domain' && !resuming) return <EnterDomain view={view} />;
  if (resuming || setup === null || (step === 'domain_analysis' && check === null))
    return <Busy title={view.t('analysisBusy')} view={view} />;
  return <>{setup.render(view)}</>;
}

/** Closes the widget. Asks first if the customer still has to do something. */
function requestClose(view: View): void {
  const { step, connection, overlay } = view.state;
  if (overlay === null && connection !== null && needsCustomer(connection, step)) view.flow.setOverlay('exit');
  else view.close(reasonOf(view));
}

function reasonOf({ state: { step, overlay } }: View): CloseReason {
  if (overlay === 'expired') return 'session_expired';
  if (step === 'success') return 'completed';
  return step === 'error' ? 'error' : 'user_exit';
}

/** Opens the dialog and moves the focus, which the browser would give to the close button. */
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
  /** Closes the dialog before it is removed, so that the browser restores the focus. */
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
      <Button onClick={() => flow.setOverlay(null)}>{t('exitStay')}</Button>
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
