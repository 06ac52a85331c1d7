import type { ComponentChildren } from 'preact';

export interface Bar {
  key: string;
  label: ComponentChildren;
  count: number;
}

/** Numbers as horizontal bars. The numbers are text, so screen readers need no other form. */
export function Bars({ of, label }: { of: readonly Bar[]; label: string }) {
  const most = Math.max(1, ...of.map(({ count }) => count));
  return (
    <ul class="bars" aria-label={label}>
      {of.map(({ key, label: text, count }) => (
        <li key={key}>
          <span class="bar-label">{text}</span>
          <span class="bar">
            <span style={{ width: `${(100 * count) / most}%` }} />
          </span>
          <span class="bar-count">{count.toLocaleString('en')}</span>
        </li>
      ))}
    </ul>
  );
}
