import { relativeHost, type DnsRecord, type RecordType } from '../record.ts';

/** A provider's own form for records, as data: what is typed there, and steps that can be told in any language. */
export interface Panel {
  /** What is chosen on the way to the form, in the panel's own words; empty where there is no panel. */
  path: readonly string[];
  /** The button that ends it. */
  save: string | null;
  /** What the field of the host holds for the zone itself: an @, nothing, or the whole name, as for every other host. */
  apex_host: '@' | 'blank' | 'full_name';
  /** Host names in values end in a dot; without it the provider adds the zone's name to them. */
  trailing_dot?: true;
  /** Text stands in double quotes. */
  quotes?: true;
  /** The switch that puts a record behind the provider's own proxy, and must be off. */
  proxy_switch?: string;
  /** What the panel calls a record that follows a name at the apex, where that is neither ALIAS nor a flattened CNAME. */
  alias_type?: string;
}

/** A record as it is typed into the panel. */
export interface PanelRecord {
  panel_host: string;
  panel_type: string;
  panel_value: string;
}

/** For a provider that is not known: most panels want the part before the domain, and an @ for the domain itself. */
export const USUAL_PANEL: Panel = { path: [], save: null, apex_host: '@' };

export function inPanel(
  record: DnsRecord,
  zone: string,
  panel: Panel = USUAL_PANEL,
  { flattens = false }: { flattens?: boolean } = {},
): PanelRecord {
  return {
    panel_host: hostIn(panel, relativeHost(record.host, zone), record.host),
    panel_type: record.type === 'ALIAS' ? (panel.alias_type ?? (flattens ? 'CNAME' : 'ALIAS')) : record.type,
    panel_value: valueIn(panel, record),
  };
}

function hostIn({ apex_host }: Panel, relative: string, full: string): string {
  if (apex_host === 'full_name') return full;
  return relative === '@' && apex_host === 'blank' ? '' : relative;
}

const NAMES: ReadonlySet<RecordType> = new Set(['CNAME', 'ALIAS', 'MX', 'NS', 'SRV']);

function valueIn({ trailing_dot, quotes }: Panel, { type, value }: DnsRecord): string {
  if (trailing_dot && NAMES.has(type)) return `${value.replace(/\.$/, '')}.`;
  return quotes && type === 'TXT' ? `"${value}"` : value;
}

/** What the customer does in the panel, by code: locales say each step in their own words. */
export const PANEL_STEPS = ['sign_in', 'open', 'add', 'blank_host', 'proxy_off', 'save'] as const;
export interface PanelStep {
  code: (typeof PANEL_STEPS)[number];
  params: Readonly<Record<string, string>>;
}

/** None where the provider has no panel, or is not known. */
export function panelSteps(panel: Panel, provider: string, hosts: readonly PanelRecord[]): PanelStep[] {
  if (panel.path.length === 0) return [];
  const path = panel.path.join(' › ');
  const step = (code: PanelStep['code'], params: PanelStep['params'] = {}): PanelStep => ({ code, params });
  return [
    step('sign_in', { provider }),
    step('open', { path }),
    step('add'),
    ...(hosts.some(({ panel_host }) => panel_host === '') ? [step('blank_host')] : []),
    ...(panel.proxy_switch === undefined ? [] : [step('proxy_off', { name: panel.proxy_switch })]),
    ...(panel.save === null ? [] : [step('save', { name: panel.save })]),
  ];
}
