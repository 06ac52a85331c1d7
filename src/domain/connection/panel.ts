import { relativeHost, type DnsRecord, type RecordType } from '../record.ts';

/** A provider's form for DNS records, described as data for instructions in any language. */
export interface Panel {
  /** Menu items on the way to the form, in the panel's own words; empty if the provider has no panel. */
  path: readonly string[];
  save: string | null;
  /** Content of the host field for the apex: an @, nothing, or the full name, which then applies to every host. */
  apex_host: '@' | 'blank' | 'full_name';
  /** Host names in values must end in a dot; without it the provider appends the zone's name. */
  trailing_dot?: true;
  /** TXT values are typed in double quotes. */
  quotes?: true;
  /** Label of the switch that proxies a record. It must be off. */
  proxy_switch?: string;
  /** The panel's name for a record that acts like a CNAME at the apex, unless it is ALIAS or a flattened CNAME. */
  alias_type?: string;
}

/** A record as the customer types it into the panel. */
export interface PanelRecord {
  panel_host: string;
  panel_type: string;
  panel_value: string;
}

/** Used for an unknown provider: most panels take the part before the domain, and an @ for the domain itself. */
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

/** Steps of the customer in the panel. Locales contain a sentence for each code. */
export const PANEL_STEPS = ['sign_in', 'open', 'add', 'blank_host', 'proxy_off', 'save'] as const;
export interface PanelStep {
  code: (typeof PANEL_STEPS)[number];
  params: Readonly<Record<string, string>>;
}

/** Returns the steps; none if the provider has no panel or is unknown. */
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
