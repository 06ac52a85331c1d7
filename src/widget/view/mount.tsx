import { render } from 'preact';
import type { Flow } from '../flow.ts';
import type { Language } from '../language.ts';
import { applyTheme } from '../theme.ts';
import type { CloseReason, OpenOptions } from '../types.ts';
import { App } from './app.tsx';
import { changesSince } from './changes.ts';
import styles from './styles.css';

export interface View {
  /** Shows the flow as it is now. */
  update(): void;
  unmount(): void;
}

interface Mounted {
  flow: Flow;
  language: Language;
  options: OpenOptions;
  baseUrl: string;
  isBound: boolean;
  close(reason: CloseReason): void;
}

/**
 * The window in the page: a shadow root that the page's styles do not reach, one stylesheet that needs no permission of
 * the page's policy, and a native modal dialog, which makes the rest of the page inert.
 */
export function mount({ flow, language, options, baseUrl, isBound, close }: Mounted): View {
  const opener = document.activeElement;
  const host = document.createElement('div');
  host.setAttribute('data-svc-widget', '');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  const place = document.createElement('div');
  place.className = 'theme';
  root.appendChild(place);
  document.body.appendChild(host);
  applyTheme(place, options.theme ?? {});

  const voice = () => root.getElementById('voice');
  let silence: ReturnType<typeof setTimeout> | undefined;
  const announce = (text: string) => {
    const line = voice();
    if (line === null) return;
    line.textContent = line.textContent ? `${line.textContent} ${text}.` : `${text}.`;
    clearTimeout(silence);
    silence = setTimeout(() => (line.textContent = ''), 3_000);
  };
  const brand = options.brandName ?? language.t('thisSite');
  let shown = flow.state;
  const draw = () =>
    render(
      <App view={{ ...language, flow, state: flow.state, options, baseUrl, brand, isBound, announce, close }} />,
      place,
    );
  draw();

  return {
    update() {
      for (const line of changesSince(shown, flow.state, language)) announce(line);
      shown = flow.state;
      draw();
    },
    unmount() {
      clearTimeout(silence);
      render(null, place);
      document.body.removeChild(host);
      if (opener instanceof HTMLElement) opener.focus();
    },
  };
}
