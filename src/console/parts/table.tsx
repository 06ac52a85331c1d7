import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Live } from '../live.ts';
import { usePlace } from '../place.ts';
import { Button, Loading, Problem } from './basics.tsx';
import { Checkbox } from './fields.tsx';

export interface Column<T> {
  head: string;
  cell: (row: T) => ComponentChildren;
  /** `num` aligns numbers; `wide` may take most of the width. */
  class?: string;
}

interface TableProps<T> {
  /** Names the table for screen readers. */
  label: string;
  columns: readonly Column<T>[];
  rows: Live<{ data: T[] }>;
  keyOf: (row: T) => string;
  /** Address of the row's own screen. The first cell becomes a link, and arrows move between the links. */
  hrefOf?: (row: T) => string;
  /** Shown instead of a table without rows. */
  empty: ComponentChildren;
  selection?: {
    chosen: ReadonlySet<string>;
    onChange: (chosen: ReadonlySet<string>) => void;
    nameOf: (row: T) => string;
  };
}

/** A table with its empty, loading and error states. Roles are explicit, because small screens show rows as blocks. */
export function DataTable<T>({ label, columns, rows, keyOf, hrefOf, empty, selection }: TableProps<T>) {
  const { data, error } = rows;
  if (data === undefined) return error === null || error.isTemporary ? <Loading /> : <Problem error={error} />;
  if (data.data.length === 0) return <>{empty}</>;
  const keys = data.data.map(keyOf);
  return (
    <table class="table" role="table" aria-label={label} onKeyDown={moveFocus}>
      <thead role="rowgroup">
        <tr role="row">
          {selection && (
            <th role="columnheader" scope="col" class="pick">
              <Checkbox
                quiet
                label="Select all on this page"
                checked={keys.every((key) => selection.chosen.has(key))}
                onValue={(all) => selection.onChange(new Set(all ? keys : []))}
              />
            </th>
          )}
          {columns.map(({ head, class: kind }) => (
            <th key={head} role="columnheader" scope="col" class={kind}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {data.data.map((row, i) => {
          const key = keys[i] ?? '';
          return (
            <tr key={key} role="row" class={selection?.chosen.has(key) ? 'chosen' : undefined}>
              {selection && (
                <td role="cell" class="pick">
                  <Checkbox
                    quiet
                    label={`Select ${selection.nameOf(row)}`}
                    checked={selection.chosen.has(key)}
                    onValue={(on) => selection.onChange(withKey(selection.chosen, key, on))}
                  />
                </td>
              )}
              {columns.map(({ head, cell, class: kind }, column) => (
                <td key={head} role="cell" class={kind} data-head={head}>
                  {column === 0 && hrefOf ? (
                    <Link class="row-link" href={hrefOf(row)}>
                      {cell(row)}
                    </Link>
                  ) : (
                    cell(row)
                  )}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function withKey(chosen: ReadonlySet<string>, key: string, on: boolean): ReadonlySet<string> {
  const next = new Set(chosen);
  if (on) next.add(key);
  else next.delete(key);
  return next;
}

/** Moves the focus between the links of the rows by the arrow keys. Enter follows a link, as always. */
function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLElement)) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('.row-link')];
  const here = links.findIndex((link) => event.target instanceof Node && link.closest('tr')?.contains(event.target));
  const next = links[here + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

/** Pages by cursor. The cursor is in the address, so Back, a reload and a copied address show the same page. */
export function Pager({ next, noun }: { next: string | null | undefined; noun: string }) {
  const { query, set } = usePlace();
  const isFirst = query['after'] === undefined;
  if (isFirst && !next) return null;
  return (
    <nav class="pager" aria-label={`Pages of ${noun}`}>
      {!isFirst && (
        <>
          <Button icon="back" onClick={() => history.back()}>
            Previous
          </Button>
          <Button kind="plain" onClick={() => set({ after: null })}>
            First page
          </Button>
        </>
      )}
      {next && <Button onClick={() => set({ after: next })}>Next</Button>}
    </nav>
  );
}

/** Scroll positions by address, for as long as the page is open. */
const positions = new Map<string, number>();
const address = (): string => location.pathname + location.search;

/** Puts the window back where a person left this address. The cached list makes the page high enough. */
export function useKeptScroll(isReady: boolean): void {
  const here = address();
  const restored = useRef('');
  useEffect(() => {
    if (!isReady || restored.current === here) return;
    restored.current = here;
    window.scrollTo(0, positions.get(here) ?? 0);
  }, [isReady, here]);
  useEffect(() => {
    const keep = () => positions.set(address(), window.scrollY);
    window.addEventListener('scroll', keep, { passive: true });
    return () => window.removeEventListener('scroll', keep);
  }, []);
}
