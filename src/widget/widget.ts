import { createApi } from './api.ts';
import { Flow, type State } from './flow.ts';
import { loadLanguage } from './language.ts';
import { setupTypeOf } from './step.ts';
import { claimsOf, openSession } from './session.ts';
import type { CloseReason, OpenOptions, Widget } from './types.ts';
import { mount, type View } from './view/mount.tsx';

/** Captured when the script loads, before the page can replace it. */
const originalFetch = window.fetch.bind(window);

const dispatch = (name: 'step' | 'success' | 'close', detail: object): void =>
  void window.dispatchEvent(new CustomEvent(`svc:${name}`, { detail }));

/** Returns the URL of the service, which may include a path, from the URL of a script below its /sdk/. */
export function homeOf(address: string): string {
  const { origin, pathname } = new URL(address);
  const at = pathname.indexOf('/sdk/');
  return at === -1 ? origin : origin + pathname.slice(0, at);
}

/** Creates the widget's public interface. `home` is the default URL of the service. */
export function createWidget(home: string): Widget {
  let current: { close(reason: CloseReason): void } | null = null;

  function open(options: OpenOptions): void {
    const baseUrl = requireOptions(options, home);
    if (current !== null) {
      console.warn('[svc] The widget is already open.');
      return;
    }
    const opened = begin(options, baseUrl, () => (current = null));
    current = opened;
  }

  return { open, close: () => current?.close('api') };
}

function requireOptions({ applicationId, token, baseUrl }: OpenOptions, home: string): string {
  if (!applicationId) throw new TypeError('Svc.open: applicationId is missing.');
  if (!token) throw new TypeError('Svc.open: token is missing. Create one with POST /v1/tokens.');
  return (baseUrl ?? home).replace(/\/+$/, '');
}

function begin(options: OpenOptions, baseUrl: string, onClosed: () => void): { close(reason: CloseReason): void } {
  const { domain: bound, customer } = claimsOf(options.token);
  const session = openSession(options.applicationId, customer);
  const api = createApi(baseUrl, options.applicationId, options.token, originalFetch);
  let view: View | undefined;
  let succeeded = false;
  let closed = false;

  const flow = new Flow(api, session, bound, (before) => {
    view?.update();
    if (before.step !== flow.state.step || (before.resuming && !flow.state.resuming)) reportStep();
  });

  function reportStep(): void {
    const { step, domain, connection } = flow.state;
    dispatch('step', { domain, provider: providerOf(flow.state), step, jobId: connection?.id ?? null });
    if (step !== 'success' || succeeded || connection === null) return;
    succeeded = true;
    const { id, hostname } = connection;
    const setupType = setupTypeOf(connection, flow.state);
    dispatch('success', { domain: hostname, success: true, setupType, provider: providerOf(flow.state), jobId: id });
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
    dispatch('close', {
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

  void loadLanguage(baseUrl, options.locale, originalFetch).then((language) => {
    if (closed) return;
    view = mount({ flow, language, options, baseUrl, isBound: bound !== null, close });
    flow.resume(bound);
    if (flow.state.step === 'enter_domain' && !flow.state.resuming) reportStep();
  });
  return { close };
}

const providerOf = ({ connection, check }: State): string | null =>
  connection?.provider ?? connection?.plan?.provider ?? check?.provider_slug ?? null;
