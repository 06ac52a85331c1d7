import { createHash } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { move, type ConnectionError, type State, type Trigger } from '../../src/domain/connection/connection.ts';
import { shownState } from '../../src/domain/connection/state-sets.ts';
import { DAY, HOUR, SECOND } from '../../src/domain/duration.ts';
import type { Finding, FindingCode } from '../../src/domain/observation/finding.ts';
import { eventsOf, type EventType } from '../../src/domain/webhook/events.ts';

/** Every seeded hostname ends with this, so that it collides with no other and can be removed. */
export const SEED_SUFFIX = '.seed.test';

/** How a connection gets to its state, how many of a hundred do, and what is wrong with some of them. */
interface Story {
  share: number;
  path: readonly Trigger[];
  faults: readonly (FindingCode | null)[];
}

const PROVED = ['accepted', 'checkStarted', 'challengeSeen'] as const;
const ADDED = [...PROVED, 'recordsAddedManually'] as const;
const SERVED = [...ADDED, 'recordsSeen', 'certificateSeen'] as const;

/** Every state that a commit can leave. `created` lasts only within the transaction that inserts a row. */
const STORIES: readonly Story[] = [
  { share: 68, path: SERVED, faults: [null, null, null, null, null, null, null, 'flattened_ok', 'proxied'] },
  { share: 4, path: [...SERVED, 'recordsDrifted'], faults: ['wrong_value', 'missing', 'nameserver_changed'] },
  { share: 4, path: [...ADDED, 'propagationSlow'], faults: ['missing', 'wrong_value', 'stale_aaaa', 'proxied'] },
  { share: 3, path: ADDED, faults: ['missing', 'cached_until', null] },
  { share: 6, path: ['accepted'], faults: ['missing', 'challenge_at_bare_host', null] },
  { share: 1, path: ['accepted', 'checkStarted'], faults: [null] },
  { share: 1, path: PROVED, faults: [null] },
  { share: 1, path: [...PROVED, 'credentialFound'], faults: [null, 'dns_write_failed'] },
  { share: 2, path: [...ADDED, 'recordsSeen'], faults: [null, 'caa_blocked', 'ca_rate_limited'] },
  { share: 3, path: ['accepted', 'ownershipTimedOut'], faults: ['missing'] },
  { share: 1, path: [...ADDED, 'recordsSeen', 'certificateTimedOut'], faults: ['cert_failed'] },
  { share: 5, path: [...SERVED, 'archive'], faults: [null, null, null, 'dangling'] },
  { share: 1, path: ['accepted', 'archive'], faults: [null] },
];

const MESSAGES: Partial<Record<FindingCode, [severity: Finding['severity'], message: string, fix: string | null]>> = {
  flattened_ok: ['info', 'The DNS provider answers with addresses instead of the CNAME, which works.', null],
  proxied: ['warning', 'The record goes through a proxy of the DNS provider.', 'Switch the proxy off for this record.'],
  wrong_value: ['error', 'The record points to another host.', 'Change its value to the one that is shown.'],
  missing: ['error', 'The record does not exist.', 'Add the record at your DNS provider.'],
  nameserver_changed: ['error', 'The domain has moved to other name servers.', 'Add the records at the new provider.'],
  stale_aaaa: ['error', 'An AAAA record points elsewhere.', 'Delete the AAAA record.'],
  cached_until: ['info', 'Resolvers still have the old answer in their caches.', null],
  challenge_at_bare_host: ['error', 'The TXT record is at the hostname itself.', 'Move it to the name that is shown.'],
  dns_write_failed: ['error', 'The DNS provider has refused the write.', 'We try again. Check the credential.'],
  caa_blocked: ['error', 'A CAA record forbids the certificate.', 'Add our certificate authority to the CAA record.'],
  ca_rate_limited: ['warning', 'The limit of the certificate authority is reached. We try again later.', null],
  cert_failed: ['error', 'The certificate authority has refused the order.', 'Check that the hostname points here.'],
  dangling: ['warning', 'The hostname still points here.', 'Delete the record.'],
};

const ERRORS: Partial<Record<FindingCode, ConnectionError>> = {
  wrong_value: 'record_conflict',
  missing: 'record_missing',
  nameserver_changed: 'nameserver_changed',
  stale_aaaa: 'stale_aaaa',
  challenge_at_bare_host: 'ownership_not_found',
  dns_write_failed: 'dns_write_failed',
  caa_blocked: 'caa_blocked',
  cert_failed: 'cert_failed',
};

const SERVICES = ['shop', 'www', 'blog', 'app', 'docs', 'mail', 'store', 'help'];
const FIRST = [
  'amber',
  'blue',
  'cedar',
  'delta',
  'ember',
  'fern',
  'golden',
  'harbor',
  'ivory',
  'juniper',
  'lunar',
  'maple',
];
const SECOND_WORDS = [
  'bakery',
  'bikes',
  'books',
  'coffee',
  'dental',
  'florist',
  'garage',
  'hotel',
  'law',
  'music',
  'pottery',
  'yoga',
];
const PROVIDERS = [
  'cloudflare',
  'cloudflare',
  'godaddy',
  'route53',
  'namecheap',
  'hetzner',
  'ovh',
  'gandi',
  'ionos',
  null,
];

export interface Move {
  at: Date;
  from: State;
  to: State;
}

export interface SeededEvent {
  id: string;
  type: EventType;
  sequence: number;
  at: Date;
}

/** A connection with its history, as rows of the database need it. */
export type Seeded = ReturnType<typeof seededConnection>;

/** Returns the n-th connection of a run. `random` returns numbers from 0 to 1, so that a run can be repeated. */
export function seededConnection(n: number, { tag, now, target, random }: SeedRun) {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const hostname = `${pick(SERVICES)}.${pick(FIRST)}-${pick(SECOND_WORDS)}-${tag}${n}${SEED_SUFFIX}`;
  const { path, faults } = storyAt(random() * 100);
  // Newer days have more connections, as with a tenant that grows.
  const created_at = new Date(now.getTime() - HOUR - Math.floor(random() ** 2 * 89 * DAY));
  const { moves, triggers } = historyOf(path, created_at, now, random);
  const state = moves.at(-1)?.to ?? 'created';
  const liveAt = moves.find(({ to }) => to === 'live')?.at ?? null;
  const archivedAt = state === 'archived' ? (moves.at(-1)?.at ?? null) : null;
  const fault = pick(faults);
  const [severity, message, fix] = (fault !== null && MESSAGES[fault]) || ['info', '', null];
  const isExpired = state === 'live' && random() < 0.003;
  const events: SeededEvent[] = triggers
    .flatMap(({ trigger, at }) => eventsOf(trigger, false).map((type) => ({ type, at })))
    .map((event, index) => ({ id: uuidv7(), sequence: index + 1, ...event }));
  return {
    id: uuidv7(),
    hostname,
    state,
    provider: pick(PROVIDERS),
    external_id: `customer-${Math.floor(n / 2)}`,
    error_code: fault === null || state === 'archived' ? null : (ERRORS[fault] ?? null),
    findings: fault === null ? [] : [{ code: fault, severity, message, fix } satisfies Finding],
    challenge_token: createHash('sha256').update(hostname).digest('base64url'),
    desired_records: [{ host: hostname, type: 'CNAME', value: target, ttl: 300, priority: null }],
    version: moves.length + 1,
    event_sequence: events.length,
    phase_started_at: moves.at(-1)?.at ?? created_at,
    proved_at: moves.find(({ to }) => to === 'verified')?.at ?? null,
    live_at: liveAt,
    certificate_status: isExpired
      ? 'expired'
      : liveAt !== null
        ? 'issued'
        : fault === 'cert_failed'
          ? 'failed'
          : 'none',
    certificate_not_before: liveAt,
    certificate_not_after: liveAt && new Date(isExpired ? now.getTime() - DAY : now.getTime() + 60 * DAY),
    archived_at: archivedAt,
    cleanup: archivedAt === null ? 'none' : 'done',
    dangling: archivedAt !== null && fault === 'dangling',
    created_at,
    moves: moves
      .map(({ at, from, to }) => ({ at, from: shownState(from), to }))
      .filter(({ from, to }) => to !== 'verifying' && from !== to),
    events,
  };
}

export interface SeedRun {
  /** Part of every hostname of the run. */
  tag: string;
  now: Date;
  /** Where the records point. */
  target: string;
  random: () => number;
}

function storyAt(hundredth: number): Story {
  let rest = hundredth;
  return STORIES.find(({ share }) => (rest -= share) < 0) ?? (STORIES[0] as Story);
}

/** Walks along a path of transitions. Each takes from seconds to days, and none ends in the future. */
function historyOf(path: readonly Trigger[], createdAt: Date, now: Date, random: () => number) {
  const moves: Move[] = [];
  const triggers: { trigger: Trigger; at: Date }[] = [];
  let [at, state]: [number, State] = [createdAt.getTime(), 'created'];
  const scale = random() * Math.log(DAY / SECOND);
  for (const trigger of path) {
    if (trigger !== 'accepted') at = Math.min(now.getTime(), at + Math.ceil(SECOND * Math.exp(scale) * random()));
    const to = move(state, trigger);
    if (to === undefined) throw new Error(`A connection in state ${state} has no move "${trigger}".`);
    moves.push({ at: new Date(at), from: state, to });
    triggers.push({ trigger, at: new Date(at) });
    state = to;
  }
  return { moves, triggers };
}
