import { startAcmeWorld } from '../test/support/fixtures/acme-world.ts';
import { table } from './support/process-cost.ts';
import { obtainRelease } from './support/release.ts';
import { meanCost, startRoad, type RoadCost } from './support/road.ts';

/**
 * Measures what a connection costs from create to live on the road that customers take: hostnames in real zones, whose
 * records we write through a credential or their owner adds a second after the create, and certificates that the edge
 * obtains from a CA. The same run measures sandbox hostnames, the least that a durable setup costs on the same servers,
 * and release 0.1.0 where the history has it.
 *   node bench/live.ts [connections] [rounds]
 */
const SIZE = Number(process.argv[2] ?? 60);
const FURTHER = 10;
/** Hostnames before the measurement. A process compiles most of its code during them. */
const WARM = 40;
/** How often each series is measured. In a long run, the drift checks of hostnames that are live already count too. */
const ROUNDS = Number(process.argv[3] ?? 1);
const OLD = '0.1.0';
const OURS = 'this version';
const LIMITS = {
  cpuOfOld: 0.45,
  rateOfOld: 2.2,
  cpuOfFloor: 3,
  cpuOfSandbox: 1.5,
  events: 30,
  statements: 45,
  questions: 12,
};

type Series = 'credential' | 'manual' | 'sandbox';
const SERIES: readonly Series[] = ['credential', 'manual', 'sandbox'];

type Road = Awaited<ReturnType<typeof startRoad>>;

interface Measured extends Record<Series, RoadCost> {
  floor: { cpuMs: number; perSecond: number };
}

const progress = (text: string) => process.stderr.write(`${text}\n`);
const inSandbox = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n}.auto.test`);
const shops = async (road: Road, count: number) => (await road.domains(count)).map((domain) => `shop.${domain}`);

const world = await startAcmeWorld('powerdns', { counted: true });
const roads = new Map<string, Road>();
try {
  const checkout = obtainRelease(OLD);
  if (checkout !== undefined) roads.set(OLD, await startRoad(world, { checkout }));
  roads.set(OURS, await startRoad(world));
  const measured = await measure();
  const further = await furtherNames(roads.get(OURS)!);
  print({ ...measured.get(OURS)!, further }, measured.get(OLD));
} finally {
  for (const road of roads.values()) await road.stop();
  await world.stop();
}

/** Measures both versions in turn, because other machines on the same host make this one slower for minutes at a time. */
async function measure(): Promise<Map<string, Measured>> {
  const written = new Map<string, string[]>();
  for (const [label, road] of roads) {
    progress(`${label}: warming up`);
    const warm = await shops(road, WARM);
    written.set(label, await shops(road, ROUNDS * SIZE));
    await road.giveCredential();
    await road.measure([...warm, ...inSandbox('warm', WARM)]); // fills caches and compiles code
    road.withoutCredential();
    await road.measure(await shops(road, 3), road.addManually);
  }
  const costs = new Map([...roads.keys()].map((label) => [label, { credential: [], manual: [], sandbox: [] }])); // prettier-ignore
  const floors: Measured['floor'][] = [];
  for (let round = 0; round < ROUNDS; round++)
    for (const series of SERIES) {
      for (const [label, road] of roads) {
        progress(`round ${round + 1} of ${ROUNDS}, ${series}, ${label}`);
        const names = written.get(label)!.slice(round * SIZE, (round + 1) * SIZE);
        costs.get(label)![series].push(await measureSeries(road, series, names, round));
      }
      floors.push(await roads.get(OURS)!.floor(2 * SIZE));
    }
  const mean = (of: (floor: Measured['floor']) => number) =>
    floors.reduce((sum, one) => sum + of(one), 0) / floors.length;
  const floor = { cpuMs: mean(({ cpuMs }) => cpuMs), perSecond: mean(({ perSecond }) => perSecond) };
  return new Map(
    [...costs].map(([label, { credential, manual, sandbox }]) => [
      label,
      { credential: meanCost(credential), manual: meanCost(manual), sandbox: meanCost(sandbox), floor },
    ]),
  );
}

async function measureSeries(road: Road, series: Series, written: string[], round: number): Promise<RoadCost> {
  if (series === 'sandbox') return road.measure(inSandbox(`live-${round}`, SIZE));
  if (series === 'manual') return road.measure(await shops(road, SIZE), road.addManually);
  road.withCredential();
  const cost = await road.measure(written);
  road.withoutCredential();
  return cost;
}

/** Measures further hostnames of a zone that was just checked. */
async function furtherNames(road: Road): Promise<RoadCost> {
  progress('further hostnames of a zone that was just checked');
  road.withCredential();
  const [zone = ''] = await road.domains(1);
  await road.giveCredential();
  const names = Array.from({ length: FURTHER + 1 }, (_, n) => `blog-${n}.${zone}`);
  await road.measure(names.slice(0, 1));
  return road.measure(names.slice(1));
}

function print(ours: Measured & { further: RoadCost }, old: Measured | undefined): void {
  const columns: [string, RoadCost][] = [
    ...(old === undefined ? [] : ([[`${OLD} credential`, old.credential], [`${OLD} manual`, old.manual], [`${OLD} sandbox`, old.sandbox]] as [string, RoadCost][])), // prettier-ignore
    ['credential', ours.credential],
    ['manual', ours.manual],
    ['further name', ours.further],
    ['sandbox', ours.sandbox],
  ];
  const row = (title: string, of: (cost: RoadCost) => string) => [title, ...columns.map(([, cost]) => of(cost))];
  const programs = [...new Set(columns.flatMap(([, { byProgram }]) => [...byProgram].filter(([, ms]) => ms >= 0.5).map(([name]) => name)))]; // prettier-ignore
  const ms = (value: number | undefined) => `${(value ?? 0).toFixed(0)} ms`;
  table(`A connection from create to live, ${SIZE} in parallel`, [
    ['', ...columns.map(([title]) => title)],
    row('processor time', ({ cpuMs }) => ms(cpuMs)),
    ...programs.map((name) => row(`  ${name}`, ({ byProgram }) => ms(byProgram.get(name)))),
    row('live a second', ({ perSecond }) => perSecond.toFixed(1)),
    row('events in the history', ({ events }) => String(events)),
    row('SQL statements', ({ statements }) => statements.toFixed(0)),
    row('BEGIN, COMMIT', ({ transactionControl }) => transactionControl.toFixed(0)),
    row('DNS questions', ({ questions }) => questions.toFixed(0)),
    row('calls to the provider', ({ providerCalls }) => providerCalls.toFixed(1)),
  ]);
  const { credential, manual, further, sandbox, floor } = ours;
  const compared = (title: string, value: number, limit: number, isAtLeast = false) => [
    title,
    value.toFixed(2),
    `${isAtLeast ? '≥' : '≤'} ${limit}`,
    (isAtLeast ? value >= limit : value <= limit) ? 'reached' : 'missed',
  ];
  const rows = [
    ...(old === undefined
      ? []
      : [
          compared(`processor time, of ${OLD}, credential`, credential.cpuMs / old.credential.cpuMs, LIMITS.cpuOfOld),
          compared(`processor time, of ${OLD}, manual`, manual.cpuMs / old.manual.cpuMs, LIMITS.cpuOfOld),
          compared(`live a second, of ${OLD}, credential`, credential.perSecond / old.credential.perSecond, LIMITS.rateOfOld, true), // prettier-ignore
        ]),
    compared(`processor time, of the floor (${ms(floor.cpuMs)})`, credential.cpuMs / floor.cpuMs, LIMITS.cpuOfFloor),
    compared('processor time, of a sandbox hostname', credential.cpuMs / sandbox.cpuMs, LIMITS.cpuOfSandbox),
    compared('events in the history', credential.events, LIMITS.events),
    compared('SQL statements', credential.statements, LIMITS.statements),
    compared('DNS questions, further hostname of a zone', further.questions, LIMITS.questions),
  ];
  table('Goals', [['', 'ours', 'goal', ''], ...rows]);
  process.exitCode = rows.every((line) => line.at(-1) === 'reached') ? 0 : 1;
}
