/** Every state of a connection, in the order in which a connection that succeeds passes through them. */
export const STATES = [
  'created',
  'pending_ownership',
  'verifying',
  'verified',
  'dns_writing',
  'propagating',
  'stalled',
  'issuing_cert',
  'live',
  'drifted',
  'failed',
  'archived',
] as const;

export type State = (typeof STATES)[number];

/** Every transition of a connection, as in the docs' state table. Every state except `archived` can be archived. */
export const MOVES = {
  created: { accepted: 'pending_ownership' },
  pending_ownership: { checkStarted: 'verifying', ownershipTimedOut: 'failed' },
  verifying: {
    challengeAbsent: 'pending_ownership',
    claimHeldElsewhere: 'pending_ownership',
    challengeSeen: 'verified',
  },
  verified: { credentialFound: 'dns_writing', recordsAddedManually: 'propagating', claimLost: 'failed' },
  dns_writing: {
    written: 'propagating',
    writeRefused: 'propagating',
    writeTimedOut: 'propagating',
    claimLost: 'failed',
  },
  propagating: {
    credentialFound: 'dns_writing',
    recordsSeen: 'issuing_cert',
    recordsInPlace: 'live',
    propagationSlow: 'stalled',
    claimLost: 'failed',
    cutoverReverted: 'dns_writing',
  },
  stalled: {
    credentialFound: 'dns_writing',
    recordsSeen: 'issuing_cert',
    recordsInPlace: 'live',
    propagationTimedOut: 'failed',
    claimLost: 'failed',
    cutoverReverted: 'dns_writing',
  },
  issuing_cert: {
    certificateSeen: 'live',
    certificateTimedOut: 'failed',
    claimLost: 'failed',
    cutoverReverted: 'dns_writing',
  },
  live: { recordsDrifted: 'drifted', claimLost: 'failed', cutoverReverted: 'dns_writing' },
  drifted: { recordsRestored: 'live', claimLost: 'failed', cutoverReverted: 'dns_writing' },
  failed: { verifyRequested: 'verifying' },
  archived: {},
} as const satisfies Record<State, Record<string, State>>;

type MovesOut<S extends State> = keyof (typeof MOVES)[S];
export type Trigger = { [S in State]: MovesOut<S> }[State] | 'archive';

/** Returns the state after the trigger, or undefined if the table has no such transition. */
export function move(state: State, trigger: Trigger): State | undefined {
  if (trigger === 'archive') return state === 'archived' ? undefined : 'archived';
  const out: Partial<Record<Trigger, State>> = MOVES[state];
  return Object.hasOwn(out, trigger) ? out[trigger] : undefined;
}

/** Time for which a drifted connection keeps its claim against another proof; the domain may have been sold. */
export const DRIFT_KEEPS_CLAIM_FOR = 7 * 24 * 3_600_000;

/** Reasons why a connection is not in its desired state. The row holds null when there is none. */
export const ERROR_CODES = [
  'ownership_not_found',
  'ownership_timeout',
  'hostname_conflict',
  'credential_invalid',
  'credential_missing_zone',
  'dns_write_failed',
  'record_conflict',
  'record_missing',
  'propagation_timeout',
  'proxied',
  'stale_aaaa',
  'caa_blocked',
  'dnssec_bogus',
  'nameserver_unreachable',
  'ca_rate_limited',
  'cert_failed',
  'edge_unreachable',
  'nameserver_changed',
  'claim_lost',
] as const;

export type ConnectionError = (typeof ERROR_CODES)[number];

/** Errors that stay on the row until a write succeeds. A check without findings does not clear them. */
export const STICKY_ERRORS: ReadonlySet<ConnectionError> = new Set<ConnectionError>([
  'record_conflict',
  'credential_invalid',
]);

export const SETUP_TYPES = ['automatic', 'manual', 'semiautomatic', 'shared_login', 'async', 'api'] as const;
export type SetupType = (typeof SETUP_TYPES)[number];

export type Kind = 'apex' | 'subdomain';
export type Environment = 'test' | 'live';
