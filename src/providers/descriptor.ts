import type { SetupType } from '../domain/connection/connection.ts';
import type { Panel } from '../domain/connection/panel.ts';
import type { RecordType } from '../domain/record.ts';

/**
 * A provider as data: `GET /providers`, the form for credentials, detection by name servers, the checks before a write
 * and the documents are all made from it, so each fact about a provider stands here and nowhere else.
 */
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
  /** Its own form for records, for the customer who fills it in by hand. */
  panel: Panel;
  /** Sentences for the person who decides whether to use this provider through us. */
  limitations: readonly string[];
  /** Null where the tenant's credential names the server. */
  base_url: string | null;
  /** Where access tokens are fetched, for providers that hand them out at another address than their API's. */
  token_url?: string;
}

export interface AuthField {
  name: string;
  label: string;
  secret: boolean;
  required: boolean;
  help: string;
  /** Text of several lines, such as a key file. Every other field is one line of printable ASCII. */
  multiline?: true;
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
  ttl: TtlRange;
  /** The longest TXT value in bytes. */
  txt_bytes: number;
  /** Values that cannot be stored there although their type can. */
  refuses?: readonly ValueRule[];
  /** How many values one set may have. */
  set_values: number;
  atomic: boolean;
  /** What keeps two writers apart: the provider, by comparing or by single values, or our lock around the zone. */
  concurrency: 'compare_and_swap' | 'single_values' | 'zone_lock';
  /** How often one account may be asked. A request must fit into every window that counts it. */
  requests: readonly RequestWindow[];
}

export interface TtlRange {
  /** Seconds. */
  min: number;
  max: number;
  /** The only values there are, in ascending order; others are raised to the next one. */
  steps?: readonly number[];
}

export interface ValueRule {
  type: RecordType;
  /** A regular expression: a value that matches it is refused. */
  matching: string;
  /** Completes the sentence "TXT shop.example.com …". */
  because: string;
}

/** At most `count` requests in any stretch of `seconds`. */
export interface RequestWindow {
  count: number;
  seconds: number;
  /** Only these are counted; without it all are. */
  counts?: 'reads' | 'writes';
}
