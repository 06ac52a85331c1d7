import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenOptions } from '../../src/widget/types.ts';

/** What a tenant's page can be made of. */
export interface PageParts {
  /** Content-Security-Policy of the page. */
  policy?: string;
  /** Scripts of the page's own, run before the widget is loaded; served as a file, as a policy wants it. */
  before?: string;
  css?: string;
  lang?: string;
  module?: boolean;
}

export interface TenantPages {
  origin: string;
  /** The address of a page made of these parts. */
  page(parts?: PageParts): string;
  stop(): Promise<void>;
}

/** Notes what the widget tells, and lets a test open it by `window.start(options)`. */
const LISTENERS = `
window.told = [];
for (const name of ['svc:step', 'svc:success', 'svc:close'])
  window.addEventListener(name, (event) => window.told.push([name, event.detail]));
window.start = (options) => Svc.open({
  ...options,
  onSuccess: (result) => window.told.push(['onSuccess', result]),
  onClose: (result) => window.told.push(['onClose', result]),
});
`;

/** A tenant's site on an origin of its own, with a button, a link and the widget of the service. */
export async function startTenantPages(serviceUrl: string): Promise<TenantPages> {
  const pages = new Map<string, PageParts>();
  const server = createServer((request, response) => {
    const [, id = '', file = ''] = (request.url ?? '').split('/');
    const parts = pages.get(id);
    const reply = (type: string, body: string) => {
      response.setHeader('content-type', `${type}; charset=utf-8`).end(body);
    };
    if (parts === undefined) response.writeHead(404).end();
    else if (file === 'before.js') reply('text/javascript', parts.before ?? '');
    else if (file === 'listeners.js') reply('text/javascript', LISTENERS);
    else if (file === 'module.js')
      reply(
        'text/javascript',
        `import { open, close } from '${serviceUrl}/sdk/v1/widget.mjs';\nwindow.Svc = { open, close };\n`,
      );
    else if (file === 'page.css') reply('text/css', parts.css ?? '');
    else {
      if (parts.policy !== undefined) response.setHeader('content-security-policy', parts.policy);
      reply('text/html', html(id, parts, serviceUrl));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    page(parts = {}) {
      const id = crypto.randomUUID();
      pages.set(id, parts);
      return `${origin}/${id}/`;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const html = (id: string, { lang = 'en', module }: PageParts, serviceUrl: string): string => `<!doctype html>
<html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>A tenant</title><link rel="stylesheet" href="/${id}/page.css">
<script src="/${id}/before.js"></script>
${module ? `<script type="module" src="/${id}/module.js"></script>` : `<script src="${serviceUrl}/sdk/v1/widget.js"></script>`}
<script src="/${id}/listeners.js"></script></head>
<body><h1>Shop settings</h1><button id="opener">Connect a domain</button><a href="#x">A link</a></body></html>`;

export type StartOptions = Omit<OpenOptions, 'onSuccess' | 'onClose'>;
