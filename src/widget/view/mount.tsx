import { render } from 'preact';
import type { Flow } from '../flow.ts';
import type { Language } from '../language.ts';
import { applyTheme } from '../theme.ts';
import type { CloseReason, OpenOptions } from '../types.ts';
import { App } from './app.tsx';
import { changesSince } from './changes.ts';
import styles from './styles.css';

export interface View {
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

/** Adds the widget in a shadow root. A constructed stylesheet needs no CSP permission; a modal makes the page inert. */
export function mount({ flow, language, options, baseUrl, isBound, close }: Mounted): View {
  const opener = document.activeElement;
  const host = document.createElement('div');
  host.setAttribute('data-svc-widget', '');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  const container = document.createElement('div');
  container.className = 'theme';
  root.appendChild(container);
  document.body.appendChild(host);
  applyTheme(container, options.theme ?? {});

  let clearing: ReturnType<typeof setTimeout> | undefined;
  const announce = (text: string) => {
    const line = root.getElementById('live');
    if (line === null) return;
    line.textContent = line.textContent ? `${line.textContent} ${text}.` : `${text}.`;
    clearTimeout(clearing);
    clearing = setTimeout(() => (line.textContent = ''), 3_000);
  };
  const brand = options.brandName ?? language.t('thisSite');
  let shown = flow.state;
  const draw = () =>
    render(
      <App view={{ ...language, flow, state: flow.state, options, baseUrl, brand, isBound, announce, close }} />,
      container,
    );
  draw();

  return {
    update() {
      for (const line of changesSince(shown, flow.state, language)) announce(line);
      shown = flow.state;
      draw();
    },
    unmount() {
      clearTimeout(clearing);
      render(null, container);
      document.body.removeChild(host);
      if (opener instanceof HTMLElement) opener.focus();
    },
  };
}
