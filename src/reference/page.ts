import { escapeHtml } from '../domain/html.ts';
import {
  groupsOf,
  shortBody,
  type Group,
  type OpenApi,
  type Operation,
  type Parameter,
  type Reply,
} from './document.ts';
import { fieldsHtml, parametersHtml, proseHtml, typeHtml } from './fields.ts';
import { highlighted } from './highlight.ts';
import { LANGUAGES, samplesOf, type Language } from './samples.ts';

export interface PageOptions {
  /** URL of the service, for the samples. */
  baseUrl: string;
  /** Paths of the built script and stylesheet. */
  assets: { script?: string | undefined; style?: string | undefined };
  /** Test key that is filled in. Only a service with the development defaults has one. */
  demoKey?: string | undefined;
  /** Pages of the documentation, as links. */
  pages: readonly { title: string; path: string }[];
}

/** Renders the API reference. It is readable without script, which adds search, language choice and requests to try. */
export function referencePage(document: OpenApi, { baseUrl, assets, demoKey, pages }: PageOptions): string {
  const groups = groupsOf(document);
  const schemas = Object.entries(document.components.schemas);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · ${escapeHtml(document.info.title)}</title>
<link rel="icon" href="data:,">
${assets.style === undefined ? '' : `<link rel="stylesheet" href="${assets.style}">`}
${assets.script === undefined ? '' : `<script src="${assets.script}"></script>`}
</head>
<body${demoKey === undefined ? '' : ` data-key="${escapeHtml(demoKey)}"`}>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="#content">${escapeHtml(document.info.title)} <span>API reference</span></a>
<div class="tools" hidden>
<button type="button" class="menu" aria-expanded="false" aria-controls="navigation">Menu</button>
<button type="button" class="switch"></button>
</div>
</header>
<div class="frame">
<nav id="navigation" aria-label="Operations">
<div class="search" hidden>
<label for="search">Search</label>
<input id="search" type="search" placeholder="Path, field or word" autocomplete="off" spellcheck="false" aria-keyshortcuts="/">
<p role="status" class="found"></p>
</div>
${groups.map(groupLinks).join('\n')}
<div class="group"><h2><a href="#objects">Objects</a></h2>
<ul class="schemas">${schemas.map(([name]) => `<li><a href="#schema-${name}">${name}</a></li>`).join('')}</ul></div>
</nav>
<main id="content" tabindex="-1">
${introductionHtml(document, baseUrl, pages)}
${groups.map((group) => groupHtml(group, baseUrl)).join('\n')}
<section class="group" id="objects" aria-labelledby="objects-title"><h2 id="objects-title">Objects</h2>
<p class="about">Objects that several answers contain.</p>
${schemas
  .map(
    ([name, schema]) =>
      `<article class="schema" id="schema-${name}"><h3>${anchored(`schema-${name}`, name)}</h3>${schema.description === undefined ? '' : `<p>${proseHtml(schema.description)}</p>`}${fieldsHtml(schema)}</article>`,
  )
  .join('\n')}
</section>
</main>
</div>
</body>
</html>
`;
}

const groupLinks = ({ tag, title, operations }: Group): string =>
  `<div class="group"><h2><a href="#${tag}">${title}</a></h2>
<ul>${operations.map(({ id, method, summary }) => `<li><a href="#${id}"><span class="method ${method.toLowerCase()}">${SHORT[method] ?? method}</span> ${escapeHtml(shortSummary(summary))}</a></li>`).join('')}</ul></div>`;

const SHORT: Readonly<Record<string, string>> = { DELETE: 'DEL' };

/** Returns the first clause of a summary, for the menu. */
const shortSummary = (summary: string): string => /^[^.,:]+/.exec(summary)?.[0] ?? summary;

const anchored = (id: string, text: string): string =>
  `${escapeHtml(text)} <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(text)}">#</a>`;

function introductionHtml({ info }: OpenApi, baseUrl: string, pages: PageOptions['pages']): string {
  return `<section class="introduction" aria-labelledby="introduction-title">
<h1 id="introduction-title">API reference</h1>
<p>${proseHtml(info.description)}</p>
<dl>
<div><dt>Base URL</dt><dd><code>${escapeHtml(baseUrl)}/v1</code></dd></div>
<div><dt>Authentication</dt><dd><code>Authorization: Bearer sk_test_…</code> A test key reaches the sandbox, and a live key reaches real domains.</dd></div>
<div><dt>Request ids</dt><dd>Send <code>X-Request-Id</code>, or use ours. It is in every answer and in our log.</dd></div>
<div><dt>For programs</dt><dd><a href="/openapi.json">OpenAPI document</a>, <a href="/llms.txt">llms.txt</a></dd></div>
${pages.length === 0 ? '' : `<div><dt>Guides</dt><dd>${pages.map(({ title, path }) => `<a href="${path}">${escapeHtml(title)}</a>`).join(', ')}</dd></div>`}
</dl>
<div class="key" hidden>
<label for="key">API key for requests from this page</label>
<input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="sk_test_…" aria-describedby="key-hint">
<p id="key-hint"></p>
</div>
</section>`;
}

const groupHtml = ({ tag, title, description, operations }: Group, baseUrl: string): string =>
  `<section class="group" id="${tag}" aria-labelledby="${tag}-title"><h2 id="${tag}-title">${anchored(tag, title)}</h2>
<p class="about">${proseHtml(description)}</p>
${operations.map((operation) => operationHtml(operation, baseUrl)).join('\n')}
</section>`;

function operationHtml(operation: Operation, baseUrl: string): string {
  const { id, method, path, summary, description } = operation;
  return `<article class="operation" id="${id}" data-method="${method}" data-path="${escapeHtml(path)}">
<div class="head">
<h3>${anchored(id, summary.replace(/\.$/, ''))}</h3>
<p class="path"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path).replaceAll('/', '<wbr>/')}</code></p>
<p class="needs">${proseHtml(description.replaceAll(/\w+:(?:\w+)/g, '`$&`'))}</p>
</div>
<div class="code">
${samplesHtml(operation, baseUrl)}
${exampleHtml(operation)}
</div>
<div class="text">
${requestHtml(operation)}
${operation.replies.map(replyHtml).join('\n')}
${errorsHtml(operation)}
</div>
</article>`;
}

function requestHtml({ parameters, body }: Operation): string {
  const listOf = (where: Parameter['in'], title: string) => {
    const some = parameters.filter((parameter) => parameter.in === where);
    return some.length === 0 ? '' : `<h4>${title}</h4>${parametersHtml(some)}`;
  };
  const fields = body === null ? '' : `<h4>Body</h4>${fieldsHtml(body.schema)}`;
  return [listOf('path', 'Path'), listOf('query', 'Query'), fields, listOf('header', 'Headers')].join('\n');
}

function replyHtml({ status, schema }: Reply): string {
  const title = `<h4>Answer <span class="status">${status}</span></h4>`;
  if (status === '304') return `${title}<p>The answer has not changed since the ETag that you sent.</p>`;
  if (schema === undefined) return `${title}<p>No body.</p>`;
  return title + (schema.properties === undefined ? `<p>${typeHtml(schema)}</p>` : fieldsHtml(schema));
}

const errorsHtml = ({ errors }: Operation): string =>
  `<details class="errors"><summary>Errors</summary><ul>${errors
    .map(
      ({ status, codes }) =>
        `<li><span class="status">${status}</span> ${codes.map((code) => `<code>${escapeHtml(code)}</code>`).join(' ')}</li>`,
    )
    .join('')}</ul></details>`;

function samplesHtml(operation: Operation, baseUrl: string): string {
  const samples = samplesOf(operation, baseUrl);
  const body = shortBody(operation);
  const panels = (Object.keys(LANGUAGES) as Language[]).map(
    (language) =>
      `<div class="sample" data-language="${language}"><p class="language">${LANGUAGES[language]}</p><pre tabindex="0" aria-label="Request in ${LANGUAGES[language]}"><code>${highlighted(samples[language].trimEnd(), language)}</code></pre></div>`,
  );
  const given = operation.body === null ? '' : ` data-body="${escapeHtml(JSON.stringify(body ?? {}, null, 2))}"`;
  return `<div class="samples"${given}>
<div class="bar" hidden></div>
${panels.join('\n')}
</div>`;
}

function exampleHtml({ replies }: Operation): string {
  const reply = replies.find(({ example }) => example !== undefined);
  if (reply === undefined) return '';
  const json = JSON.stringify(reply.example, null, 2);
  return `<div class="answer"><p class="language">Answer ${reply.status}</p><pre tabindex="0" aria-label="Example of an answer"><code>${highlighted(json, 'json')}</code></pre></div>`;
}
