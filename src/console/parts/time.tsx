import { useEffect } from 'preact/hooks';
import { storeOf, useStore } from '../store.ts';

/** The current time, as relative times show it. */
const clock = storeOf(Date.now());
const TICK_MS = 10_000;
let users = 0;
let timer: ReturnType<typeof setInterval> | undefined;

export function useNow(): number {
  useEffect(() => {
    users += 1;
    if (users === 1) timer = setInterval(() => clock.set(Date.now()), TICK_MS);
    clock.set(Date.now());
    return () => {
      users -= 1;
      if (users === 0) clearInterval(timer);
    };
  }, []);
  return useStore(clock);
}

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const EXACT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export function relative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1_000);
  for (const [unit, length] of UNITS)
    if (Math.abs(seconds) >= length) return RELATIVE.format(Math.trunc(seconds / length), unit);
  return Math.abs(seconds) < 15 ? 'just now' : seconds < 0 ? 'seconds ago' : 'in seconds';
}

export const exact = (at: string): string => EXACT.format(new Date(at));

/** A relative time, with the exact time on hover. */
export function Time({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <span class="muted">never</span>;
  return (
    <time dateTime={at} title={exact(at)}>
      {relative(Date.parse(at), now)}
    </time>
  );
}
