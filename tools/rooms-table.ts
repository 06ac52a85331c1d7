import { createRequire } from 'node:module';

/** Purpose of each folder. Its imports come from the rules of dependency-cruiser. */
const PURPOSES: Readonly<Record<string, string>> = {
  'src/domain': 'decisions as pure functions: no I/O, no clock, no libraries; grouped by subject',
  'src/net': 'dialling only where we may',
  'src/dns': 'observing DNS',
  'src/providers': 'writing DNS: the contract, a toolkit, one folder per provider',
  'src/webhooks': 'signing and sending webhooks',
  'src/vault': 'secrets at rest',
  'src/db': 'SQL, one file per aggregate; grouped by subject',
  'src/edge': "admission, routing, the agent's journal, the Caddyfile",
  'src/billing': 'Stripe: subscriptions and meters',
  'src/domain-connect': 'Domain Connect: discovery, keys, signatures',
  'src/sandbox': "the test environment's DNS, as one more observer",
  'src/provisioning': 'a credential in use for a connection: plan, ledger, apply, undo',
  workflows: 'orchestration, deterministic',
  activities: 'thin effects for workflows',
  'src/api': 'HTTP: routes are values',
  'src/temporal': 'client, worker, relay, reconciler',
  'src/embedded': 'the servers that `npm start` runs',
  'src/locales': 'texts of the widget and the shared page, in seven languages',
  'src/widget': 'the widget; bundled for browsers, never run by Node',
  'src/sdk': "building and storing the widget's files",
  'src/demo': "a tenant's page under `npm start`",
  'src/share': 'the shared page',
  'src/main, src/cli': 'build the object graph; no other folder imports them',
};

interface Rule {
  name: string;
  from: { path?: string };
  to: { pathNot?: string | readonly string[] };
}

const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as { forbidden: readonly Rule[] };

/** Returns the paths that a pattern such as `^src/(domain|net)(/|\\.ts$)` allows. */
function pathsOf(pattern: string): string[] {
  const plain = pattern.replace(/^\^/, '').replace('(/|\\.ts$)', '').replace(/\/$/, '');
  const [, before = '', choice] = /^(.*)\((.*)\)$/.exec(plain) ?? [];
  return choice === undefined ? [plain] : choice.split('|').map((one) => before + one);
}

/** Returns the table of folders, with what each may import according to dependency-cruiser. */
function roomsTable(): string {
  const imports = new Map<string, readonly string[]>();
  for (const { name, from, to } of forbidden.filter((rule) => /-knows?-only$/.test(rule.name))) {
    const [room = name] = pathsOf(from.path ?? '');
    imports.set(
      room,
      [to.pathNot ?? []]
        .flat()
        .flatMap(pathsOf)
        .filter((path) => path !== room),
    );
  }
  imports.set('src/main, src/cli', ['everything']);
  const rows = [...imports].map(([room, allowed]) => {
    const purpose = PURPOSES[room];
    if (purpose === undefined) throw new Error(`Describe the folder ${room} in tools/rooms-table.ts.`);
    const list = allowed.map((path) => path.replace(/^src\//, '')).join(', ') || 'nothing';
    return `| ${room
      .split(', ')
      .map((one) => `\`${one}\``)
      .join(', ')} | ${purpose} | ${room === 'workflows' ? `${list}; activities as types` : list} |`;
  });
  return ['| Folder | Holds | May import |', '| --- | --- | --- |', ...rows].join('\n');
}

const MARKED = /(<!-- rooms: [^>]*-->)[\s\S]*(<!-- \/rooms -->)/;

/** Returns the page with the table between its two marks brought up to date. */
export function withRoomsTable(page: string): string {
  if (!MARKED.test(page)) throw new Error('CONTRIBUTING.md has lost the marks around the table of folders.');
  return page.replace(MARKED, (_, begin: string, end: string) => `${begin}\n\n${roomsTable()}\n\n${end}`);
}
