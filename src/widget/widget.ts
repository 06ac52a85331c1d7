import { createApi } from './api.ts';
import { openFiles } from './files.ts';
import { Flow } from './flow.ts';
import type { State } from './state.ts';
import { loadLanguage } from './language.ts';
import { setupTypeOf } from './step.ts';
import { claimsOf, openSession } from './session.ts';
import type { CloseReason, OpenOptions, Widget } from './types.ts';
import { mount, type MountedView } from './view/mount.tsx';

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
  const { applicationId, token, getToken } = options;
  const { application, domain: bound, customer } = claimsOf(token);
  const session = openSession(applicationId, customer);
  const api = createApi({ baseUrl, applicationId, token, getToken, fetch: originalFetch });
  const files = openFiles(baseUrl, originalFetch);
  let view: MountedView | undefined;
  /** Id of the last connection that went live. */
  let succeeded: string | null = null;
  let closed = false;

  const flow = new Flow(api, session, bound, (before) => {
    view?.update();
    if (before.step !== flow.state.step || (before.resuming && !flow.state.resuming)) reportStep();
  });

  function reportStep(): void {
    const { step, domain, connection } = flow.state;
    dispatch('step', { domain, provider: providerOf(flow.state), step, jobId: connection?.id ?? null });
    if (step !== 'success' || connection === null || connection.id === succeeded) return;
    const { id, hostname } = connection;
    succeeded = id;
    const setupType = setupTypeOf(connection, flow.state);
    dispatch('success', { domain: hostname, success: true, setupType, provider: providerOf(flow.state), jobId: id });
    options.onSuccess?.({ id, domain: hostname });
  }

  /** The page after the consent at a DNS provider reports back. The message proves nothing: it only starts a poll. */
  const onMessage = ({ origin, data }: MessageEvent<{ type?: unknown } | null>): void => {
    if (origin === new URL(baseUrl, location.href).origin && data?.type === 'svc:domain_connect') flow.pollSoon();
  };
  window.addEventListener('message', onMessage);

  function close(reason: CloseReason): void {
    if (closed) return;
    closed = true;
    window.removeEventListener('message', onMessage);
    flow.stop();
    view?.unmount();
    onClosed();
    const { domain, connection } = flow.state;
    const id = connection?.id ?? null;
    const success = id !== null && id === succeeded;
    dispatch('close', {
      domain,
      success,
      setupType: connection && setupTypeOf(connection, flow.state),
      provider: providerOf(flow.state),
      lastStatus: connection?.state ?? null,
      jobId: id,
      reason,
    });
    options.onClose?.({ id, domain, succeeded: success });
  }

  void loadLanguage(files, options.locale).then((language) => {
    if (closed) return;
    view = mount({ flow, language, files, options, baseUrl, isBound: bound !== null, close });
    if (application !== null && application !== applicationId.toLowerCase()) {
      console.error(`[svc] applicationId is ${applicationId}, but the token is for application ${application}.`);
      flow.refuse();
    } else flow.resume(bound);
    if (flow.state.step === 'enter_domain' && !flow.state.resuming) reportStep();
  });
  return { close };
}

const providerOf = ({ connection, check }: State): string | null =>
  connection?.provider ?? connection?.plan?.provider ?? check?.provider ?? null;
