import { useEffect, useState } from 'preact/hooks';
import { STATES } from '../../domain/connection/connection.ts';
import { shownState } from '../../domain/connection/state-sets.ts';
import { FINDING_CODES } from '../../domain/observation/finding.ts';
import { BulkDialog, type BulkAction } from '../bulk.tsx';
import { shownHostname, type Connection } from '../connections.ts';
import { ExportButton } from '../export.tsx';
import { useLive } from '../live.ts';
import { StateBadge } from '../parts/badge.tsx';
import { stateName } from '../states.ts';
import { Button, Card, Empty, Page } from '../parts/basics.tsx';
import { Icon } from '../parts/icon.tsx';
import { DataTable, Pager, useKeptScroll, type Column } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { codeInWords } from '../words.ts';
import type { Query } from '../paths.ts';
import { scopeQuery, usePlace } from '../place.ts';
import { useMay } from '../session.ts';

const PAGE_SIZE = 50;
/** Fields of the address that filter the list, and the API's names for them. */
const FILTERS = {
  q: 'hostname_prefix',
  state: 'state',
  provider: 'provider',
  finding: 'finding',
  attention: 'attention',
  batch: 'batch_id',
  customer: 'external_id',
} as const;

/** Domains: the list. Its address contains every filter, so a bookmark is a saved view. */
export default function Domains() {
  const { query, scope, href } = usePlace();
  const filter = filterOf(query);
  const list = useLive('/v1/connections', {
    query: { ...scopeQuery(scope), ...filter, limit: PAGE_SIZE, cursor: query['after'] },
  });
  useKeptScroll(list.data !== undefined);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => setChosen(new Set()), [JSON.stringify(query), scope.environment, scope.applicationId]);
  const mayChange = useMay('connections:write');
  const rows = list.data?.data ?? [];
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Page title="Domains" actions={<ExportButton query={{ ...scopeQuery(scope), ...filter }} />}>
      <Views />
      <Card>
        <Filters />
        <Chosen rows={rows.filter(({ id }) => chosen.has(id))} onDone={() => setChosen(new Set())} />
        <DataTable<Connection>
          label="Domains"
          columns={COLUMNS}
          rows={list}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => href(`/domains/${id}`)}
          empty={isFiltered ? <NothingFound /> : <NoDomains />}
          {...(mayChange ? { selection: { chosen, onChange: setChosen, nameOf: ({ hostname }) => hostname } } : {})}
        />
        <Pager next={list.data?.next_cursor} noun="domains" />
      </Card>
    </Page>
  );
}

const COLUMNS: readonly Column<Connection>[] = [
  { head: 'Hostname', class: 'wide', cell: ({ hostname }) => <bdi>{shownHostname(hostname).name}</bdi> },
  {
    head: 'State',
    cell: ({ state, error_code }) => (
      <div>
        <StateBadge state={state} />
        {error_code && <small class="problem">{codeInWords(error_code)}</small>}
      </div>
    ),
  },
  { head: 'DNS provider', cell: ({ provider_name, provider }) => provider_name ?? provider },
  { head: 'Customer', cell: ({ external_id }) => external_id && <bdi class="muted">{external_id}</bdi> },
  { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
];

function filterOf(query: Readonly<Record<string, string>>): Query {
  const filter: Record<string, string> = {};
  for (const [field, name] of Object.entries(FILTERS)) {
    const value = query[field]?.trim();
    if (value) filter[name] = field === 'q' ? value.toLowerCase() : value;
  }
  return filter;
}

/** The list by state, with the number of each. */
function Views() {
  const { query, scope, set } = usePlace();
  const { data } = useLive('/v1/connections:counts', { query: scopeQuery(scope) });
  const chosen = query['state'];
  const shown = STATES.filter((state) => shownState(state) === state && ((data?.by_state[state] ?? 0) > 0 || state === chosen)); // prettier-ignore
  const choose = (state: string | null) => set({ state, attention: null, after: null });
  return (
    <div class="views" role="group" aria-label="Filter by state">
      <ViewButton isChosen={chosen === undefined} count={data?.total} onClick={() => choose(null)}>
        All
      </ViewButton>
      {shown.map((state) => (
        <ViewButton key={state} isChosen={chosen === state} count={data?.by_state[state]} onClick={() => choose(state)}>
          {stateName(state)}
        </ViewButton>
      ))}
    </div>
  );
}

const ViewButton = (props: { isChosen: boolean; count: number | undefined; onClick: () => void; children: string }) => (
  <button type="button" aria-pressed={props.isChosen} onClick={props.onClick}>
    {props.children}
    {props.count !== undefined && <span> {props.count.toLocaleString('en')}</span>}
  </button>
);

const SEARCH_MS = 200;

function Filters() {
  const { query, set } = usePlace();
  const { data: providers } = useLive('/v1/providers', {}, 3_600_000);
  const change = (field: keyof typeof FILTERS) => (event: { currentTarget: { value: string } }) =>
    set({ [field]: event.currentTarget.value, after: null });
  const names = [...new Map((providers?.data ?? []).map(({ slug, name }) => [slug, name]))];
  return (
    <div class="filters" role="search">
      <Search />
      <select aria-label="DNS provider" value={query['provider'] ?? ''} onChange={change('provider')}>
        <option value="">Any provider</option>
        {names.map(([slug, name]) => (
          <option key={slug} value={slug}>
            {name}
          </option>
        ))}
      </select>
      <select aria-label="Problem" value={query['finding'] ?? ''} onChange={change('finding')}>
        <option value="">Any problem or none</option>
        {FINDING_CODES.map((code) => (
          <option key={code} value={code}>
            {codeInWords(code)}
          </option>
        ))}
      </select>
      <Chips />
    </div>
  );
}

/** The search field. The list follows while a person types, and the address changes without filling the history. */
function Search() {
  const { query, set } = usePlace();
  const current = query['q'] ?? '';
  const [text, setText] = useState(current);
  useEffect(() => setText(current), [current]);
  useEffect(() => {
    if (text === current) return undefined;
    const timer = setTimeout(() => set({ q: text, after: null }, { replace: true }), SEARCH_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="search">
      <Icon name="search" />
      <span class="hidden">Search by the beginning of the hostname</span>
      <input
        type="search"
        placeholder="Hostname begins with…  ( / )"
        value={text}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  );
}

const CHIPS: readonly (readonly [keyof typeof FILTERS, (value: string) => string])[] = [
  ['attention', (value) => `Needs attention: ${codeInWords(value)}`],
  ['batch', (value) => `Batch ${value.slice(0, 8)}`],
  ['customer', (value) => `Customer ${value}`],
];

/** Filters that come from other screens. Each can be removed. */
function Chips() {
  const { query, set } = usePlace();
  return (
    <>
      {CHIPS.map(([field, text]) => {
        const value = query[field];
        if (value === undefined) return null;
        return (
          <button key={field} type="button" class="chip" onClick={() => set({ [field]: null, after: null })}>
            {text(value)}
            <span class="hidden">, remove this filter</span>
            <Icon name="cross" />
          </button>
        );
      })}
    </>
  );
}

/** Actions for the chosen rows. Both show a preview first. */
function Chosen({ rows, onDone }: { rows: readonly Connection[]; onDone: () => void }) {
  const [action, setAction] = useState<BulkAction | null>(null);
  // The dialog keeps its rows, because the list behind it changes while the action runs.
  const [taken, setTaken] = useState(rows);
  const open = (next: BulkAction) => () => {
    setTaken(rows);
    setAction(next);
  };
  return (
    <>
      {rows.length > 0 && (
        <div class="chosen-bar">
          <span>{rows.length} selected</span>
          <Button onClick={open('verify')}>Verify…</Button>
          <Button kind="danger" onClick={open('archive')}>
            Archive…
          </Button>
          <Button kind="plain" onClick={onDone}>
            Clear
          </Button>
        </div>
      )}
      {action && (
        <BulkDialog
          action={action}
          rows={taken}
          onClose={(isDone) => {
            setAction(null);
            if (isDone) onDone();
          }}
        />
      )}
    </>
  );
}

const NoDomains = () => (
  <Empty title="No domains here yet">
    <p>They appear as soon as a customer connects one. Try the other environment or application in the menu.</p>
  </Empty>
);

function NothingFound() {
  const { go, path } = usePlace();
  return (
    <Empty title="No domain matches">
      <p>The search compares the beginning of the hostname.</p>
      <Button onClick={() => go(path)}>Remove all filters</Button>
    </Empty>
  );
}
