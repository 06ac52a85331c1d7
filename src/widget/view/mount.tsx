import { render } from 'preact';
import type { Files } from '../files.ts';
import type { Flow } from '../flow.ts';
import type { Language } from '../language.ts';
import { applyTheme } from '../theme.ts';
import type { CloseReason, OpenOptions } from '../types.ts';
import { App } from './app.tsx';
import type { Setup, SetupModule } from './later-steps.ts';
import { shared } from './shared.ts';
import parts from '../../design/parts.css';
import tokens from '../../design/tokens.css';
import styles from './styles.css';

export interface MountedView {
  update(): void;
  unmount(): void;
}

interface Mounted {
  flow: Flow;
  language: Language;
  files: Files;
  options: OpenOptions;
  baseUrl: string;
  isBound: boolean;
  close(reason: CloseReason): void;
}

/** Time for the operator's settings to arrive. They only decide whether a line at the bottom is shown. */
const SETTINGS_MS = 10_000;

/** Adds the widget in a shadow root. A constructed stylesheet needs no CSP permission; a modal makes the page inert. */
export function mount({ flow, language, files, options, baseUrl, isBound, close }: Mounted): MountedView {
  const opener = document.activeElement;
  const host = document.createElement('div');
  host.setAttribute('data-svc-widget', '');
  const root = host.attachShadow({ mode: 'open' });
  const addStyles = (text: string) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  };
  addStyles(tokens + parts + styles);
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
  const fixed = { ...language, flow, options, baseUrl, files, brand, isBound, announce, addStyles, redraw, close };
  let productName: string | null = null;
  let setup: Setup | null = null;
  let loading = false;
  let unmounted = false;
  let shown = flow.state;

  function redraw(): void {
    if (!unmounted) render(<App view={{ ...fixed, state: flow.state, productName }} setup={setup} />, container);
  }

  const isSetupNeeded = () => flow.state.step !== 'enter_domain' && flow.state.step !== 'error';

  /** Loads the later steps, while the customer enters a domain. If that fails, the next step tries again. */
  function loadSetup(): void {
    if (setup !== null || loading) return;
    loading = true;
    Promise.all([files.module<SetupModule>('setup'), files.words('setup', language.locale)]).then(
      ([module, values]) => {
        addStyles(module.styles);
        setup = module.createSetup(shared, language, values);
        redraw();
      },
      () => {
        loading = false;
        if (isSetupNeeded()) flow.missFiles();
      },
    );
  }

  redraw();
  loadSetup();
  if (options.theme?.hideBranding !== true)
    void files.json<{ product_name: string | null }>('settings.json', SETTINGS_MS).then((settings) => {
      productName = settings?.product_name ?? null;
      if (productName !== null) redraw();
    });

  return {
    update() {
      if (isSetupNeeded()) loadSetup();
      const { t } = language;
      if (shown.reachable && !flow.state.reachable) announce(t(navigator.onLine ? 'unreachable' : 'offline'));
      for (const line of setup?.changes(shown, flow.state) ?? []) announce(line);
      shown = flow.state;
      redraw();
    },
    unmount() {
      unmounted = true;
      clearTimeout(clearing);
      render(null, container);
      document.body.removeChild(host);
      if (opener instanceof HTMLElement) opener.focus();
    },
  };
}
