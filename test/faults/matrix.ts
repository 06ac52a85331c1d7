/** A test file below test/ that a row runs, and a part of each test title to run. */
interface RowTests {
  file: string;
  /** Empty for all tests of the file. */
  names: readonly string[];
}

export interface FaultRow {
  row: number;
  fault: string;
  expected: string;
  tests: readonly RowTests[];
}

const tests = (file: string, ...names: string[]): RowTests => ({ file, names });
const row = (number: number, fault: string, expected: string, ...by: RowTests[]): FaultRow => ({
  row: number,
  fault,
  expected,
  tests: by,
});

/**
 * Faults and abuses that the service must survive. Rows name existing tests wherever the suite already covers a fault.
 */
export const MATRIX: readonly FaultRow[] = [
  row(
    1,
    'kill -9 of the worker in every state, 50 times',
    'continues within 15 s, nothing lost, nothing twice',
    tests('faults/killed.fault.ts', 'row 1:'),
  ),
  row(
    2,
    'kill -9 of the API between commit and answer',
    'the same Idempotency-Key finds the same connection',
    tests('faults/killed.fault.ts', 'rows 2 and 3:'),
  ),
  row(
    3,
    'kill -9 of the API between commit and start of the run',
    'started within 5 s, exactly once',
    tests('faults/killed.fault.ts', 'rows 2 and 3:'),
  ),
  row(
    4,
    'kill -9 of Postgres under 50 writes a second',
    '503 with a reference; back in 10 s; no acknowledged write missing',
    tests('faults/killed.fault.ts', 'row 4:'),
  ),
  row(
    5,
    'kill -9 of Temporal',
    'creates accepted, asks unaffected, flows continue',
    tests('faults/killed.fault.ts', 'row 5:'),
    tests('main/production.test.ts', 'when Temporal is killed and restarted'),
  ),
  row(
    6,
    'kill -9 of the dispatcher after its POST',
    'sent again: same id, fresh timestamp, valid signature',
    tests('webhooks/killed.test.ts', 'killed at five moments'),
    tests('webhooks/delivery.test.ts', 'an attempt that was sent but never logged'),
  ),
  row(
    7,
    'kill -9 of everything, started in any order',
    'converges, I1–I6 hold',
    tests('faults/killed.fault.ts', 'row 7:'),
  ),
  row(
    8,
    'API cut off from Postgres for 60 s',
    'no stale allow, healthz 503, back in 5 s',
    tests('faults/cut-off.fault.ts', 'row 8:'),
  ),
  // The times of rows 9 and 11: ADR "Run fault trials as a separate command".
  row(
    9,
    'LISTEN connection half open',
    'the lease expires (2 s), ask uses SQL',
    tests('faults/cut-off.fault.ts', 'row 9:'),
    tests('edge/admission.test.ts', 'is not trusted once its connection hangs half open'),
  ),
  row(10, 'worker cut off from Temporal', 'no move twice, continues', tests('faults/cut-off.fault.ts', 'row 10:')),
  row(
    11,
    'Postgres 500 ms away, pool exhausted',
    'refused with 503 after 3 s of waiting, others answered',
    tests('faults/cut-off.fault.ts', 'row 11:'),
    tests('api/database-busy.test.ts'),
  ),
  row(
    12,
    'disk of Postgres full',
    'writes 503, reads and ask work, no damage',
    tests('faults/disk-full.fault.ts', 'row 12:'),
  ),
  row(
    13,
    'clocks ten minutes off',
    'tokens and signatures by their windows, leases by monotonic time',
    tests('faults/clocks.fault.ts', 'row 13:'),
  ),
  row(
    14,
    'summer time, 2038, leap seconds',
    'ISO times correct, timers fire',
    tests('faults/clocks.fault.ts', 'row 14:'),
  ),
  row(
    15,
    'every name server silent',
    'state unchanged, unknown, never failed or drifted early',
    tests('main/internet-lab.test.ts', 'whose name servers all fall silent'),
    tests(
      'workflows/life.test.ts',
      'unreachable name servers never make a live connection drift',
      'the deadline does not advance',
    ),
    tests('dns/zone-cut.test.ts', 'with every server stopped, nothing is concluded'),
  ),
  row(
    16,
    'NXDOMAIN, NODATA, then the answer',
    'seen at the next check, 3 s apart',
    tests('dns/observe.test.ts', 'is seen at the check after it appears'),
    tests('workflows/life.test.ts', 'fourteen days of scheduled checks'),
    tests('dns/negative-cache.test.ts', 'a challenge published after the first check'),
  ),
  row(
    17,
    'one of four name servers stale',
    'not verified, and the server is named',
    tests('dns/observe.test.ts', 'is not proved while one of four servers is stale'),
  ),
  row(
    18,
    'truncated UDP, TCP refused or dripping',
    'TCP, bounded wait, unknown',
    tests(
      'dns/resolver.test.ts',
      'come over TCP',
      'stay unknown if the server sends its TCP answer slowly',
      'stay unknown if the server refuses TCP',
    ),
  ),
  row(
    19,
    '64 kB of TXT, many strings, NUL',
    'strings joined, exact match found, memory bounded',
    tests('dns/resolver.test.ts', 'come over TCP'),
    tests('dns/observe.test.ts', 'is found in a 64 kB set'),
    tests('dns/message.test.ts', 'the strings of one TXT record'),
  ),
  row(
    20,
    'forged answers',
    'ignored',
    tests('dns/resolver.test.ts', 'are ignored, and the real answer is still accepted', 'must guess id'),
    tests('dns/observe.test.ts', 'data from a server about names outside', 'an address in a referral is trusted only'),
  ),
  row(
    21,
    'alias loops and chains, DNAME, lame, self-naming and private name servers',
    'bounded at 8, unknown, no private address asked',
    tests(
      'dns/observe.test.ts',
      'a loop of aliases',
      'a chain of twenty aliases',
      'private and loopback name servers are never asked',
      'a zone whose only name server is below it',
      'servers that refer to themselves are lame',
      'below a DNAME',
    ),
    tests('dns/zone-cut.test.ts', 'a lame name server is reported'),
  ),
  row(
    22,
    'the token in the wrong place or spelling',
    'not found',
    tests('dns/mistakes.test.ts', 'text that resembles the token is not the token'),
    tests('main/internet-lab.test.ts', 'with the token at the wrong name'),
  ),
  row(
    23,
    'an old token after archive and a new create',
    'not accepted',
    tests('db/claims.test.ts', 'can be claimed again after archive, with a new token'),
  ),
  row(
    24,
    'two tenants verify one hostname at the same time, 200 times',
    'one claim each time',
    tests('db/claims.test.ts', 'raced for by two tenants 200 times'),
  ),
  row(
    25,
    'archive against verify, 200 times; DELETE twice',
    'never both; DELETE idempotent',
    tests('db/claims.test.ts', 'archived while it is being verified, 200 times'),
    tests('api/connections.test.ts', 'archiving releases the hostname immediately'),
  ),
  row(
    26,
    'ask after archive, 10,000 times, three APIs',
    'none allowed',
    tests('edge/after-delete.test.ts', 'deny all of 10,000 asks'),
  ),
  row(
    27,
    'HTTPS after archive with the certificate in memory',
    'refused immediately (410), nothing of the tenant',
    tests('edge/serving.test.ts', 'that is archived is refused immediately with 410'),
  ),
  row(
    28,
    '100,000 handshakes for random hostnames',
    'no certificate, no query, memory flat, known hostname served',
    tests('faults/floods.fault.ts', 'row 28:'),
  ),
  row(29, 'malformed asks', 'never 2xx, never 5xx', tests('edge/admission.test.ts', 'answers 400 if the domain is not a hostname', 'accepts no other method')), // prettier-ignore
  row(
    30,
    '50 concurrent creates with one left of the plan',
    'one created, the others 402',
    tests('billing/usage.test.ts', 'of fifty concurrent creates'),
  ),
  row(31, 'the same Idempotency-Key in every way', 'one object, conflicts reported, tenants separate', tests('api/idempotency.test.ts')), // prettier-ignore
  row(
    32,
    'every route with another tenant’s ids',
    '404, the same bytes and the same time as for a missing object',
    tests('api/permissions.test.ts', "another tenant's object and a missing object"),
    tests('faults/timing.fault.ts'),
  ),
  row(
    33,
    'every route, every scope, widget tokens',
    'exactly the table of permissions',
    tests('api/permissions.test.ts'),
    tests('api/widget-tokens.test.ts'),
  ),
  row(
    34,
    'a key revoked under load',
    '401 from its next request on, in every process',
    tests('api/keys.test.ts', 'a key revoked under load', 'a revoked key is refused'),
  ),
  row(
    35,
    'webhook URLs with internal addresses',
    'refused at create or dial, no byte sent',
    tests('unit/safe-dial.test.ts'),
    tests('webhooks/receivers.test.ts', 'a hostname that later resolves to an internal address'),
    tests('api/webhooks.test.ts', 'plain http is only for the test environment'),
  ),
  row(
    36,
    'receivers that drip, flood, hang or reset',
    'bounded in time and bytes, others unaffected',
    tests('webhooks/receivers.test.ts'),
    tests('webhooks/delivery.test.ts', 'a dead receiver delays no other receiver'),
  ),
  row(
    37,
    'a thousand endpoints, one dead',
    'p99 of the others at most 1.5 times as high',
    tests('faults/floods.fault.ts', 'row 37:'),
  ),
  row(
    38,
    'signatures over 50,000 events',
    'all valid, old ones rejected by the samples',
    tests('webhooks/many.test.ts'),
    tests('webhooks/verifiers.test.ts'),
    tests('webhooks/sign.test.ts', 'a timestamp five minutes off'),
  ),
  row(
    39,
    'poisoned requests',
    '400 in the envelope, never 500',
    tests('api/fuzz.test.ts'),
    tests('api/edges-of-http.test.ts', 'a body over 100 kB', 'a body that is not UTF-8'),
  ),
  row(40, 'schemathesis over the document', 'no 5xx of ours, no answer outside it', tests('faults/fuzz.fault.ts', 'row 40:')), // prettier-ignore
  row(
    41,
    'random hostnames and random moves, 100,000 times',
    'no counterexample',
    tests('unit/hostname.test.ts'),
    tests('unit/connection.test.ts'),
  ),
  row(42, 'a worker out of memory', 'restarted, replays, no nondeterminism', tests('faults/deploys.fault.ts', 'row 42:')), // prettier-ignore
  row(
    43,
    'new code over 1,000 open histories',
    'no nondeterminism',
    tests('faults/deploys.fault.ts', 'row 43:'),
    tests('workflows/replay.test.ts'),
  ),
  row(
    44,
    'providers that fail, write partially or answer late',
    'idempotent, no other record touched',
    tests('providers/histories.test.ts'),
    tests('provisioning/histories.test.ts'),
    tests('providers/cloudflare.test.ts'),
  ),
  row(45, 'secrets in logs, metrics, errors, histories', 'none', tests('faults/secrecy.fault.ts')),
  row(46, 'SIGTERM under load, one after the other', 'no request failed, drained in 10 s', tests('faults/deploys.fault.ts', 'row 46:')), // prettier-ignore
  row(
    47,
    'kill -9 of the worker at each step of a certificate order',
    'one account, one certificate, no challenge left, no other value touched',
    tests('ordering/killed.test.ts', 'a worker killed at any moment of an order'),
  ),
];
