import { createApi } from './api.ts';
import { Flow, type State } from './flow.ts';
import { loadLanguage } from './language.ts';
import { setupTypeOf } from './screen.ts';
import { claimsOf, openSession } from './session.ts';
import type { CloseReason, OpenOptions, Widget } from './types.ts';
import { mount, type View } from './view/mount.tsx';

/** Taken when the script loads: what the page does to these later does not reach the widget. */
const fetchNow = window.fetch.bind(window);

/** Tells the page. Only `window` hears it, whatever element the page has its listeners on. */
const tell = (name: 'step' | 'success' | 'close', detail: object): void =>
  void window.dispatchEvent(new CustomEvent(`svc:${name}`, { detail }));

/** The widget as a page uses it; `home` is where this script came from. */
export function createWidget(home: string): Widget {
  let current: { close(reason: CloseReason): void } | null = null;

  function open(options: OpenOptions): void {
    const baseUrl = requireOptions(options, home);
    if (current !== null) {
      console.warn('[svc] The window is open already.');
      return;
    }
    const opened = begin(options, baseUrl, () => (current = null));
    current = opened;
  }

  return { open, close: () => current?.close('api') };
}

function requireOptions({ applicationId, token, baseUrl }: OpenOptions, home: string): string {
  if (!applicationId) throw new TypeError('Svc.open: applicationId is missing.');
  if (!token) throw new TypeError('Svc.open: token is missing; mint one with POST /v1/tokens.');
  return (baseUrl ?? home).replace(/\/+$/, '');
}

function begin(options: OpenOptions, baseUrl: string, onClosed: () => void): { close(reason: CloseReason): void } {
  const { domain: bound, customer } = claimsOf(options.token);
  const session = openSession(options.applicationId, customer);
  const api = createApi(baseUrl, options.applicationId, options.token, fetchNow);
  let view: View | undefined;
  let succeeded = false;
  let closed = false;

  const flow = new Flow(api, session, bound, (before) => {
    view?.update();
    if (before.screen !== flow.state.screen || (before.resuming && !flow.state.resuming)) tellStep();
  });

  function tellStep(): void {
    const { screen, domain, connection } = flow.state;
    tell('step', { domain, provider: providerOf(flow.state), step: screen, jobId: connection?.id ?? null });
    if (screen !== 'success' || succeeded || connection === null) return;
    succeeded = true;
    const { id, hostname } = connection;
    const setupType = setupTypeOf(connection, flow.state);
    tell('success', { domain: hostname, success: true, setupType, provider: providerOf(flow.state), jobId: id });
    options.onSuccess?.({ id, domain: hostname });
  }

  function close(reason: CloseReason): void {
    if (closed) return;
    closed = true;
    flow.stop();
    view?.unmount();
    onClosed();
    const { domain, connection } = flow.state;
    const id = connection?.id ?? null;
    tell('close', {
      domain,
      success: succeeded,
      setupType: connection && setupTypeOf(connection, flow.state),
      provider: providerOf(flow.state),
      lastStatus: connection?.state ?? null,
      jobId: id,
      reason,
    });
    options.onClose?.({ id, domain, succeeded });
  }

  void loadLanguage(baseUrl, options.locale, fetchNow).then((language) => {
    if (closed) return;
    view = mount({ flow, language, options, baseUrl, isBound: bound !== null, close });
    flow.resume(bound);
    if (flow.state.screen === 'enter_domain' && !flow.state.resuming) tellStep();
  });
  return { close };
}

const providerOf = ({ connection, check }: State): string | null =>
  connection?.provider ?? connection?.plan?.provider ?? check?.provider_slug ?? null;
