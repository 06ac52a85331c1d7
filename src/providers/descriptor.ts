import type { SetupType } from '../domain/connection/connection.ts';
import type { Panel } from '../domain/connection/panel.ts';
import type { RecordType } from '../domain/record.ts';

/** A provider as data. Each fact about a provider must be written here and nowhere else. */
export interface Descriptor {
  slug: string;
  name: string;
  /** `additional` marks every provider beyond the nineteen hosted ones that the API has always named. */
  category: 'token' | 'cloud' | 'additional';
  /** Available to test applications only. */
  test_only?: true;
  setup_types: readonly SetupType[];
  auth: { fields: readonly AuthField[] };
  capabilities: Capabilities;
  limits: Limits;
  /** Regular expressions over lower-case names without a trailing dot. Every name server of a zone must match one. */
  nameserver_patterns: readonly string[];
  domain_connect: boolean;
  control_panel_url: string | null;
  /** The provider's own form for records, for customers who enter records manually. */
  panel: Panel;
  /** Sentences for a person who decides whether to use this provider through the service. */
  limitations: readonly string[];
  /** Null if the tenant's credential contains the server address. */
  base_url: string | null;
  /** Endpoint that issues access tokens, if it is not part of the API. */
  token_url?: string;
}

export interface AuthField {
  name: string;
  label: string;
  secret: boolean;
  required: boolean;
  help: string;
  /** Accepts several lines, such as a key file. Every other field is one line of printable ASCII. */
  multiline?: true;
}

export interface Capabilities {
  record_types: readonly RecordType[];
  /** How the apex can point to a hostname: with a record type of its own, with a flattened CNAME, or not at all. */
  apex_alias: 'native' | 'flattening' | 'none';
  cname_flattening: boolean;
  wildcard: boolean;
  caa: boolean;
  /** Whether one name can have several TXT values. */
  multi_txt: boolean;
  ns_delegation: boolean;
}

export interface Limits {
  ttl: TtlRange;
  txt_bytes: number;
  /** Values that the provider cannot store although it supports their type. */
  refuses?: readonly ValueRule[];
  set_values: number;
  atomic: boolean;
  /** Protection against lost updates: compare-and-swap at the provider, calls for single values, or our zone lock. */
  concurrency: 'compare_and_swap' | 'single_values' | 'zone_lock';
  /** Request limits. A request must fit into every window that counts it. */
  requests: readonly RequestWindow[];
}

export interface TtlRange {
  /** Seconds. */
  min: number;
  max: number;
  /** The only allowed values, in ascending order. Other values are raised to the next step. */
  steps?: readonly number[];
}

export interface ValueRule {
  type: RecordType;
  /** A regular expression. A value that matches it is refused. */
  matching: string;
  /** Completes the sentence "TXT shop.example.com …". */
  because: string;
}

/** Allows at most `count` requests of an account, or of each of its zones, in any period of `seconds`. */
export interface RequestWindow {
  count: number;
  seconds: number;
  /** Kind of request that counts; by default every request counts. */
  counts?: 'reads' | 'writes';
  /** Counts each zone of the account separately. Only requests that name their `zone` count. */
  per?: 'zone';
}
