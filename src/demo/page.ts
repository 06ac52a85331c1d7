/**
 * Renders the domain settings of a shop builder, as its customer sees them, next to the code that opens the widget. The
 * widget is the dialog in which a customer connects a domain.
 */
export const demoPage = (
  { applicationId, hasConsole }: { applicationId: string; hasConsole: boolean },
  source: string,
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Larkspur · Domains</title>
<link rel="stylesheet" href="/demo/page.css">
</head>
<body data-application="${applicationId}">
<header class="bar"><strong class="logo">Larkspur</strong><nav aria-label="Shop"><span>Products</span><span>Orders</span><span>Theme</span><span class="here">Domains</span></nav></header>
<main>
<section class="card">
<h1>Your domain</h1>
<p>Your shop is at <b>juniper-ceramics.larkspur.example</b>. Connect a domain of your own.</p>
<button id="connect" class="primary" type="button">Connect a domain</button>
<ul id="domains" class="domains" aria-live="polite"></ul>
</section>
<section class="card">
<h2>Hostnames to try</h2>
<p>These hostnames exist only in the sandbox's own DNS. Click one to copy it, then connect it.</p>
<ul class="names">
${ZONES.map(([zone, text]) => `<li><button type="button" class="name" data-zone="${zone}"></button><span>${text}</span></li>`).join('\n')}
</ul>
<form id="dns" class="dns">
<h3>Play the DNS provider</h3>
<p>Connect any other <code>.test</code> hostname, such as <code>shop.my-brand.test</code>. Open this page in a second tab, and add here the records that the widget shows you.</p>
<div class="row"><label>Type <select name="type"><option>TXT</option><option>CNAME</option><option>A</option></select></label>
<label>Name <input name="host" autocomplete="off" required></label>
<label>Value <input name="value" autocomplete="off" required></label>
<button type="submit">Add record</button></div>
<output id="dns-answer"></output>
</form>
</section>
${hasConsole ? SUPPORT : ''}<section class="card wide">
<h2>How this page works</h2>
<p>In the browser: load one script, and make one call when the button is clicked.</p>
<pre tabindex="0"><code>&lt;script src="/sdk/v1/widget.js"&gt;&lt;/script&gt;

const token = async () =&gt; (await (await fetch('/demo/token', { method: 'POST' })).json()).auth_token;
Svc.open({ applicationId, token: await token(), getToken: token, brandName: 'Larkspur' });</code></pre>
<p>On the server: a route that creates the token. This is the code that runs here.</p>
<pre tabindex="0"><code>${escaped(source)}</code></pre>
</section>
</main>
<script src="/sdk/v1/widget.js"></script>
<script src="/demo/page.js"></script>
</body>
</html>
`;

const SUPPORT = `<section class="card wide">
<h2>Larkspur's own admin page</h2>
<p>When a shop owner writes “my domain doesn't work”, Larkspur's support opens the console from here.</p>
<button id="console" type="button">Open the console as Larkspur's support</button>
<output id="console-answer"></output>
</section>
`;

/** Zones of the sandbox, each with another behaviour. The demo has a credential for the first zone. */
const ZONES: readonly (readonly [zone: string, text: string])[] = [
  ['managed.test', 'We have access to its DNS and add the records for you'],
  ['auto.test', 'The sandbox adds the records within seconds'],
  ['slow.test', 'The sandbox adds the records after a minute'],
  ['stall.test', 'The records are never added'],
  ['conflict.test', 'Another record conflicts with ours'],
  ['caa.test', "A CAA record doesn't allow our certificate"],
  ['drift.test', 'Goes live, then its DNS changes a minute later'],
];

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

export const DEMO_JS = `
'use strict';
const applicationId = document.body.dataset.application;
const random = () => Math.random().toString(36).slice(2, 6);
for (const button of document.querySelectorAll('.name')) {
  button.textContent = 'shop-' + random() + '.' + button.dataset.zone;
  button.addEventListener('click', async () => {
    await navigator.clipboard?.writeText(button.textContent).catch(() => undefined);
    button.classList.add('copied');
    setTimeout(() => button.classList.remove('copied'), 1200);
  });
}
const post = async (path, body) => {
  const answer = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body ?? {}) });
  const content = await answer.json();
  if (!answer.ok) throw new Error(content.error?.message);
  return content;
};
const token = async () => (await post('/demo/token')).auth_token;
document.getElementById('connect').addEventListener('click', async () => {
  const options = new URLSearchParams(location.search);
  Svc.open({
    applicationId,
    token: await token(),
    getToken: token,
    brandName: 'Larkspur',
    email: true,
    onShare: ({ id }) => post('/demo/share/' + id),
    onEmailApply: ({ id }, provider) => post('/demo/email/' + id, { provider }),
    ...(options.get('locale') ? { locale: options.get('locale') } : {}),
    onSuccess: ({ domain }) => {
      const item = document.createElement('li');
      item.textContent = domain + ' is connected';
      document.getElementById('domains').append(item);
    },
  });
});
document.getElementById('console')?.addEventListener('click', async () => {
  try {
    location.assign((await post('/demo/console')).url);
  } catch (error) {
    document.getElementById('console-answer').textContent = error.message;
  }
});
document.getElementById('dns').addEventListener('submit', async (event) => {
  event.preventDefault();
  const fields = Object.fromEntries(new FormData(event.target));
  const answer = await fetch('/demo/records', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(fields),
  });
  const text = answer.ok ? 'Added.' : (await answer.json()).error?.message;
  document.getElementById('dns-answer').textContent = text;
});
`.trimStart();

export const DEMO_CSS = `
:root { --bg: #f6f5f2; --card: #fff; --fg: #24211d; --muted: #6a645b; --line: #e4e0d8; --accent: #b4472f; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --bg: #17161a; --card: #201f25; --fg: #f2efe9; --muted: #aaa49a; --line: #36343c; --accent: #e8836c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--fg); font: 16px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
.bar { display: flex; flex-wrap: wrap; gap: 8px 32px; align-items: center; padding: 16px 32px; background: var(--card); border-bottom: 1px solid var(--line); }
.logo { font: 600 21px/1 Georgia, 'Times New Roman', serif; color: var(--accent); }
nav { display: flex; flex-wrap: wrap; gap: 20px; color: var(--muted); font-size: 15px; }
.here { color: var(--fg); font-weight: 600; }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); gap: 20px; max-width: 1080px; margin: 32px auto; padding: 0 20px; }
.card { padding: 28px; border: 1px solid var(--line); border-radius: 14px; background: var(--card); min-width: 0; align-self: start; }
.wide { grid-column: 1 / -1; }
h1, h2, h3 { margin: 0 0 8px; line-height: 1.25; }
h1 { font-size: 24px; } h2 { font-size: 19px; } h3 { font-size: 16px; margin-top: 24px; }
p { margin: 0 0 16px; color: var(--muted); }
p b, p code { color: var(--fg); }
button, select, input { font: inherit; color: inherit; min-height: 44px; padding: 8px 14px; border: 1px solid var(--line); border-radius: 9px; background: none; }
button { cursor: pointer; }
.primary { background: var(--accent); color: var(--card); border-color: transparent; font-weight: 600; padding-inline: 20px; }
.names, .domains { list-style: none; margin: 0; padding: 0; display: grid; gap: 10px; }
.domains { margin-top: 16px; font-weight: 600; }
.names li { display: grid; grid-template-columns: minmax(0, 15.5em) 1fr; gap: 4px 14px; align-items: center; font-size: 14.5px; color: var(--muted); }
.name { font: 14px/1 ui-monospace, Menlo, Consolas, monospace; text-align: start; }
.name.copied { border-color: var(--accent); }
.row { display: grid; gap: 10px; }
.row label { display: grid; grid-template-columns: 64px 1fr; align-items: center; gap: 10px; font-size: 14.5px; }
output { display: block; margin-top: 8px; font-size: 14.5px; }
pre { margin: 0 0 18px; padding: 16px; border-radius: 10px; background: var(--bg); overflow-x: auto; font-size: 13.5px; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 560px) { .names li { grid-template-columns: 1fr; } .card { padding: 20px; } }
`.trimStart();
