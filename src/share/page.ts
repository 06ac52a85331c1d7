import { escapeHtml } from '../domain/html.ts';
import { unicodeHostname } from '../domain/idn.ts';
import type { State } from '../domain/connection/connection.ts';
import { PROVED } from '../domain/connection/state-sets.ts';
import type { PanelStep } from '../domain/connection/panel.ts';
import type { RecordStatus } from '../domain/observation/record-status.ts';
import type { DnsRecord } from '../domain/record.ts';
import { LANGUAGES } from '../locales/all.ts';
import {
  findingParams,
  findingWords,
  STATUS_WORDS,
  PANEL_STEP_WORDS,
  type LocalizedFinding,
} from '../locales/finding-words.ts';
import { fill, isRightToLeft, type Locale, type PageWords, type Params, type SetupWords } from '../locales/words.ts';

interface Connection {
  hostname: string;
  state: State;
  serve: boolean;
  /** The DNS provider's own form for records, and the steps to fill in the form. */
  provider_panel: { name: string; url: string | null; steps: readonly PanelStep[] } | null;
  records_to_add: readonly RecordToAdd[];
  findings: readonly (LocalizedFinding & {
    record?: Pick<DnsRecord, 'host' | 'type' | 'value'> | undefined;
    records?: readonly object[] | undefined;
  })[];
}

/** A record that the customer adds. `panel_*` are the texts that the customer types into the provider's form. */
interface RecordToAdd extends DnsRecord {
  panel_host: string;
  panel_type: string;
  panel_value: string;
  status: RecordStatus;
  required: boolean;
}

export interface SharedPage {
  connection: Connection;
  expiresAt: Date;
  locale: Locale;
  /** Path of the shared link, for "Check again". */
  path: string;
  /** The tenant's name for its customers, or null if the tenant has set none. */
  displayName: string | null;
}

/** Renders a connection for a person without an account: its records and their status. Of the tenant, only its display name. */
export function sharedPage(page: SharedPage): string {
  const { locale, connection, displayName } = page;
  const title = translator(locale).t('shareTitle', { domain: unicodeHostname(connection.hostname) });
  return html(locale, displayName === null ? title : `${title} · ${displayName}`, sharedContent(page));
}

/** Renders the main part of the page. The page's script fetches this part again and replaces the old part. */
export function sharedContent({ connection, expiresAt, locale, path, displayName }: SharedPage): string {
  const { t } = translator(locale);
  const { hostname, provider_panel: panel } = connection;
  const domain = unicodeHostname(hostname);
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(expiresAt);
  const text = (key: TextKey, params: Params = {}) => escapeHtml(t(key, params));
  return `<main id="content">
${displayName === null ? '' : `<p class="by"><bdi>${escapeHtml(displayName)}</bdi></p>\n`}<h1>${text('shareTitle', { domain })}</h1>
<p class="lead">${text('shareText', { domain })}</p>
<p class="status ${isDone(connection) ? 'good' : ''}" role="status">${text(statusKey(connection), { domain })}</p>
${panel === null ? '' : panelPart(panel, text)}
${movePart(connection, text)}${connection.findings.map((finding) => firstPart(finding, text)).join('')}<ul class="records">${connection.records_to_add.map((record) => recordPart(record, connection, text)).join('')}</ul>
<p class="end"><a href="${escapeHtml(path)}">${text('shareAgain')}</a> <span>${text('shareUntil', { date })}</span></p>
</main>`;
}

/** Renders one page for unknown, expired and revoked links, so that visitors cannot distinguish them. */
export function endedPage(locale: Locale): string {
  const { t } = translator(locale);
  const [title, text] = [t('shareGoneTitle'), t('shareGoneText')];
  return html(locale, title, `<main id="content"><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></main>`);
}

type TextKey = keyof SetupWords | keyof PageWords;
type Text = (key: TextKey, params?: Params) => string;

function translator(locale: Locale): { t: Text } {
  const words: Readonly<Record<TextKey, string>> = { ...LANGUAGES[locale].setup, ...LANGUAGES[locale].page };
  return { t: (key, params = {}) => fill(words[key], params, isRightToLeft(locale)) };
}

const isDone = ({ state }: Connection): boolean => state === 'live';

function statusKey(connection: Connection): TextKey {
  if (isDone(connection)) return connection.serve ? 'shareLive' : 'shareRecordsLive';
  // `spreading`: published, but not yet on every server. `optional`: another address of the edge is published.
  const allPublished = connection.records_to_add.every(
    ({ status, required }) => !required || ['found', 'spreading', 'optional', 'later'].includes(status),
  );
  return allPublished && PROVED.has(connection.state) ? 'shareProgress' : 'shareWaiting';
}

function panelPart({ name, url, steps }: NonNullable<Connection['provider_panel']>, text: Text): string {
  const link = url === null ? '' : ` <a href="${escapeHtml(url)}" rel="noopener noreferrer">${text('openPanel', { provider: name })}</a>`; // prettier-ignore
  const list = steps.map(({ code, params }) => `<li>${text(PANEL_STEP_WORDS[code], params)}</li>`).join('');
  return `<section class="panel"><p>${text('shareAt', { provider: name })}${link}</p>${list && `<ol>${list}</ol>`}</section>`;
}

/** Renders a finding that names records to add before all others. */
function firstPart(finding: Connection['findings'][number], text: Text): string {
  const key = finding.records && findingWords(finding);
  return key === undefined ? '' : `<p class="problem">${text(key, findingParams(finding))}</p>\n`;
}

/** Explains, for a certificate that comes first, what the records change for visitors. */
function movePart({ records_to_add }: Connection, text: Text): string {
  const has = (wanted: RecordStatus) => records_to_add.some(({ status }) => status === wanted);
  const key = has('later') ? 'moveFirst' : has('ready') ? 'moveReady' : null;
  return key === null ? '' : `<p>${text(key)}</p>\n`;
}

function recordPart(record: RecordToAdd, connection: Connection, text: Text): string {
  const { type, panel_type, panel_host, panel_value, priority, status } = record;
  if (status === 'later') return '';
  const field = (label: TextKey, value: string, readable = value) => {
    // People read the Unicode form. The provider's form needs the A-labels, which the button copies.
    const name = readable === value ? '' : `<bdi dir="ltr">${escapeHtml(readable)}</bdi> `;
    return `<dt>${text(label)}</dt><dd>${value === '' ? `<em>${text('leaveEmpty')}</em>` : `<span>${name}<code dir="ltr">${escapeHtml(value)}</code></span><button type="button" class="copy" data-copied="${text('copied')}" hidden>${text('copy')}</button>`}</dd>`; // prettier-ignore
  };
  const value = field('value', panel_value, type === 'TXT' ? panel_value : unicodeHostname(panel_value));
  const problem = problemOf(record, connection, text);
  return `<li class="record ${status}"><p class="head"><strong>${escapeHtml(panel_type)}</strong> <span class="pill">${text(STATUS_WORDS[status])}</span></p>
<dl>${field('name', panel_host, unicodeHostname(panel_host))}${value}${priority === null ? '' : field('priority', String(priority))}</dl>${problem}</li>`;
}

function problemOf({ host, type, value, status }: RecordToAdd, { findings }: Connection, text: Text): string {
  if (status === 'found' || status === 'missing' || status === 'unchecked') return '';
  const finding = findings.find(
    ({ record }) => record?.host === host && record.type === type && record.value === value,
  );
  const key = finding && findingWords(finding);
  return finding === undefined || key === undefined
    ? ''
    : `<p class="problem">${text(key, findingParams(finding))}</p>`;
}

const html = (locale: Locale, title: string, content: string): string => `<!doctype html>
<html lang="${locale}" dir="${isRightToLeft(locale) ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/share/page.css">
</head>
<body>
${content}
<script src="/share/page.js" defer></script>
</body>
</html>
`;
