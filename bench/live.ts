import { startAcmeWorld } from '../test/support/fixtures/acme-world.ts';
import { table } from './support/process-cost.ts';
import { obtainRelease } from './support/release.ts';
import { startRoad, type RoadCost } from './support/road.ts';

/**
 * Measures what a connection costs from create to live on the road that customers take: hostnames in real zones, whose
 * records we write through a credential or their owner adds a second after the create, and certificates that the edge
 * obtains from a CA. The same run measures sandbox hostnames, the least that a durable setup costs on the same servers,
 * and release 0.1.0 where the history has it.
 *   node bench/live.ts [connections]
 */
const SIZE = Number(process.argv[2] ?? 60);
const FURTHER = 10;
/** Hostnames before the measurement. A process compiles most of its code during them. */
const WARM = 40;
const OLD = '0.1.0';
const LIMITS = {
  cpuOfOld: 0.45,
  rateOfOld: 2.2,
  cpuOfFloor: 3,
  cpuOfSandbox: 1.5,
  events: 30,
  statements: 45,
  questions: 12,
};

interface Measured {
  sandbox: RoadCost;
  credential: RoadCost;
  further: RoadCost;
  manual: RoadCost;
  floor: { cpuMs: number; perSecond: number };
}

const world = await startAcmeWorld('powerdns', { counted: true });
try {
  const checkout = obtainRelease(OLD);
  const old = checkout === undefined ? undefined : await measure(OLD, checkout);
  const ours = await measure('this version');
  print(ours, old);
} finally {
  await world.stop();
}

async function measure(label: string, checkout?: string): Promise<Measured> {
  const road = await startRoad(world, { checkout });
  const progress = (series: string) => process.stderr.write(`${label}: ${series}\n`);
  const inSandbox = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${prefix}-${n}.auto.test`);
  const shops = async (count: number) => (await road.domains(count)).map((domain) => `shop.${domain}`);
  try {
    progress('warming up');
    const warm = await shops(WARM);
    const written = await shops(SIZE);
    await road.giveCredential();
    await road.measure([...warm, ...inSandbox('warm', WARM)]); // fills caches and compiles code
    progress('records written through a credential');
    const credential = await road.measure(written);
    progress('further hostnames of a zone that was just checked');
    const names = Array.from({ length: FURTHER + 1 }, (_, n) => written[0]!.replace('shop.', `blog-${n}.`));
    await road.measure(names.slice(0, 1));
    const further = await road.measure(names.slice(1));
    await road.withoutCredential();
    await road.measure(await shops(3), road.addManually);
    progress('records added by their owners');
    const manual = await road.measure(await shops(SIZE), road.addManually);
    progress('sandbox hostnames');
    const sandbox = await road.measure(inSandbox('live', SIZE));
    progress('workflows with three activities');
    const floor = await road.floor(5 * SIZE);
    return { sandbox, credential, further, manual, floor };
  } finally {
    await road.stop();
  }
}

function print(ours: Measured, old: Measured | undefined): void {
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
  // Other machines on the same host can make this one slower for minutes: the floor was measured next to each version.
  const speed = old === undefined ? 1 : floor.cpuMs / old.floor.cpuMs;
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
          compared(
            `processor time, of ${OLD}, credential`,
            credential.cpuMs / speed / old.credential.cpuMs,
            LIMITS.cpuOfOld,
          ),
          compared(`processor time, of ${OLD}, manual`, manual.cpuMs / speed / old.manual.cpuMs, LIMITS.cpuOfOld),
          compared(`live a second, of ${OLD}, credential`, (credential.perSecond * speed) / old.credential.perSecond, LIMITS.rateOfOld, true), // prettier-ignore
        ]),
    compared(
      `processor time, of the floor (${ms(floor.cpuMs)}${old === undefined ? '' : `; ${ms(old.floor.cpuMs)} next to ${OLD}`})`,
      credential.cpuMs / floor.cpuMs,
      LIMITS.cpuOfFloor,
    ),
    compared('processor time, of a sandbox hostname', credential.cpuMs / sandbox.cpuMs, LIMITS.cpuOfSandbox),
    compared('events in the history', credential.events, LIMITS.events),
    compared('SQL statements', credential.statements, LIMITS.statements),
    compared('DNS questions, further hostname of a zone', further.questions, LIMITS.questions),
  ];
  table('Goals', [['', 'ours', 'goal', ''], ...rows]);
  process.exitCode = rows.every((line) => line.at(-1) === 'reached') ? 0 : 1;
}
