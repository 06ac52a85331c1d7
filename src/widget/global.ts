import type { Widget } from './types.ts';
import { createWidget, homeOf } from './widget.ts';

/** The classic script, which sets `window.Svc`. */
const script = document.currentScript;
const home = homeOf(script instanceof HTMLScriptElement && script.src ? script.src : location.href);

(window as unknown as { Svc: Widget }).Svc = createWidget(home);
