import type { Widget } from './types.ts';
import { createWidget } from './widget.ts';
import { homeOf } from './home.ts';

/** The classic script: `Svc` on the page's window, at home where the script was loaded from. */
const script = document.currentScript;
const home = homeOf(script instanceof HTMLScriptElement && script.src ? script.src : location.href);

(window as unknown as { Svc: Widget }).Svc = createWidget(home);
