import type { SetupType } from '../domain/connection.ts';
import type { RecordType } from '../domain/record.ts';

/** A provider as data. Feeds `GET /providers`, the credential form, detection by name servers, and the docs. */
export interface Descriptor {
  slug: string;
  name: string;
  category: 'token' | 'cloud' | 'self_hosted';
  /** Refused to live applications. */
  test_only?: true;
  setup_types: readonly SetupType[];
  auth: { fields: readonly AuthField[] };
  capabilities: Capabilities;
  limits: Limits;
  /** Regular expressions over lower-case server names without a trailing dot; every server of a zone must match one. */
  nameserver_patterns: readonly string[];
  domain_connect: boolean;
  control_panel_url: string | null;
  /** Sentences for the person who decides whether to use this provider through us. */
  limitations: readonly string[];
  /** Null where the tenant's credential names the server. */
  base_url: string | null;
}

export interface AuthField {
  name: string;
  label: string;
  secret: boolean;
  required: boolean;
  help: string;
}

export interface Capabilities {
  record_types: readonly RecordType[];
  /** How the apex can follow a name: a type of its own, a CNAME that is flattened, or not at all. */
  apex_alias: 'native' | 'flattening' | 'none';
  cname_flattening: boolean;
  wildcard: boolean;
  caa: boolean;
  /** Several TXT values at one name. */
  multi_txt: boolean;
  ns_delegation: boolean;
}

export interface Limits {
  /** Seconds. */
  ttl: { min: number; max: number };
  /** The longest TXT value in bytes. */
  txt_bytes: number;
  /** Characters that a TXT value cannot hold there; mostly none, sometimes the quote or the backslash. */
  txt_excludes: string;
  /** How many values one set may have. */
  set_values: number;
  atomic: boolean;
  /** Who keeps two writers apart: the provider, by comparing or by single values, or our lock around the zone. */
  concurrency: 'compare_and_swap' | 'single_values' | 'zone_lock';
  /** How fast one account may be asked. */
  requests: { per_second: number; burst: number };
}
