import { createRequire } from 'node:module';

/** Purpose of each folder, for the table in CONTRIBUTING.md. An aggregate is a row with the rows that belong to it. */
const PURPOSES: Readonly<Record<string, string>> = {
  'src/domain': 'decisions as pure functions: no I/O, no clock, no libraries; grouped by subject',
  'src/net': 'addresses, connections and bodies: checked and bounded',
  'src/dns': 'observing DNS',
  'src/providers': 'writing DNS: the contract, a toolkit, one folder per provider',
  'src/webhooks': 'signing and sending webhooks',
  'src/vault': 'secrets at rest',
  'src/x509': 'keys, certificates and signing requests',
  'src/acme': 'a client of certificate authorities (ACME)',
  'src/telemetry': 'traces: spans and their attributes, the exporter',
  'src/db': 'SQL, one file per aggregate; grouped by subject',
  'src/edge': "admission, routing, the agent's journal, the Caddyfile",
  'src/cutover': 'the cutover of a running site: its plan, its probes, the move and the way back',
  'src/ordering': 'the order of a certificate by ACME: accounts, challenges, delegated validation, renewals',
  'src/certificates': 'certificates that this service holds: uploads, keys, encryption for edges',
  'src/registrations': 'the registrations of domains, asked of registries by RDAP',
  'src/billing': 'Stripe: subscriptions and meters',
  'src/domain-connect': 'Domain Connect: discovery, keys, signatures',
  'src/sandbox': "the test environment's DNS, as one more observer",
  'src/provisioning': 'a credential in use for a connection: plan, ledger, apply, undo',
  workflows: 'orchestration, deterministic',
  activities: 'side effects of workflows',
  'src/api': 'HTTP: one typed value per route',
  'src/mcp': 'tools of agents (Model Context Protocol), each a request to the API',
  'src/temporal': 'client, worker, relay, reconciler',
  'src/embedded': 'the servers that `npm start` runs',
  'src/locales': 'texts of the widget and the shared page, in seven languages',
  'src/design': 'design tokens and parts that every page shares',
  'src/console': "the console, where a tenant's people see every domain; bundled for browsers, never run by Node",
  'src/widget': 'the widget; bundled for browsers, never run by Node',
  'src/sdk': 'building and storing the files of the widget, the console and the API reference',
  'src/demo': "a tenant's page under `npm start`",
  'src/share': 'the shared page',
  'src/reference': 'the API reference: pages from the OpenAPI document, samples, and a script for browsers',
  'src/main, src/cli': 'build the object graph; no other folder imports them',
};

interface Rule {
  name: string;
  from: { path?: string };
  to: { pathNot?: string | readonly string[] };
}

const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as { forbidden: readonly Rule[] };

/** Returns the paths that a pattern such as `^src/(domain|net)(/|\\.tsx?$)` allows. */
function pathsOf(pattern: string): string[] {
  const plain = pattern.replace(/^\^/, '').replace('(/|\\.tsx?$)', '').replace(/\/$/, '');
  const [, before = '', choice] = /^(.*)\((.*)\)$/.exec(plain) ?? [];
  return choice === undefined ? [plain] : choice.split('|').map((name) => before + name);
}

/** Returns the table of folders, with the imports that the rules of dependency-cruiser allow each folder. */
function folderTable(): string {
  const imports = new Map<string, readonly string[]>();
  for (const { name, from, to } of forbidden.filter((rule) => /-knows?-only$/.test(rule.name))) {
    const [folder = name] = pathsOf(from.path ?? '');
    imports.set(
      folder,
      [to.pathNot ?? []]
        .flat()
        .flatMap(pathsOf)
        .filter((path) => path !== folder),
    );
  }
  imports.set('src/main, src/cli', ['everything']);
  const rows = [...imports].map(([folder, allowed]) => {
    const purpose = PURPOSES[folder];
    if (purpose === undefined) throw new Error(`Describe the folder ${folder} in tools/rooms-table.ts.`);
    const list = allowed.map((path) => path.replace(/^src\//, '')).join(', ') || 'nothing';
    return `| ${folder
      .split(', ')
      .map((name) => `\`${name}\``)
      .join(', ')} | ${purpose} | ${folder === 'workflows' ? `${list}; activities as types` : list} |`;
  });
  return ['| Folder | Holds | May import |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The table and the two HTML comments around it. */
const MARKED = /(<!-- rooms: [^>]*-->)[\s\S]*(<!-- \/rooms -->)/;

/** Returns CONTRIBUTING.md with a current table of folders between its two HTML comments. */
export function withRoomsTable(page: string): string {
  if (!MARKED.test(page)) throw new Error('CONTRIBUTING.md has lost the HTML comments around the table of folders.');
  return page.replace(MARKED, (_, begin: string, end: string) => `${begin}\n\n${folderTable()}\n\n${end}`);
}
