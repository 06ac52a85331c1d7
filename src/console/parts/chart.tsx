import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

export interface Series {
  name: string;
  values: readonly number[];
  /** Design token of its colour. */
  color: 'accent' | 'good' | 'muted';
}

interface ChartProps {
  /** Days as YYYY-MM-DD, in UTC. */
  days: readonly string[];
  series: readonly Series[];
  label: string;
}

const HEIGHT = 190;
const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayOf = (seconds: number): string => DAY.format(new Date(seconds * 1_000));

/** Lines over days, drawn by uPlot on a canvas, and the same numbers as a table for everyone who prefers text. */
export function Chart({ days, series, label }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const data: uPlot.AlignedData = [
      days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1_000),
      ...series.map(({ values }) => [...values]),
    ];
    let plot: uPlot | undefined;
    const draw = () => {
      plot?.destroy();
      plot = new uPlot(optionsOf(element, series), data, element);
    };
    draw();
    // A canvas does not follow the stylesheet, so another colour scheme needs another drawing.
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    const resized = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    return () => {
      scheme.removeEventListener('change', draw);
      resized.disconnect();
      plot?.destroy();
    };
  }, [days, series]);
  return (
    <figure class="chart">
      <ul class="legend">
        {series.map(({ name, color, values }) => (
          <li key={name}>
            <span class={`swatch ${color}`} />
            {name} <strong>{values.reduce((sum, value) => sum + value, 0).toLocaleString('en')}</strong>
          </li>
        ))}
      </ul>
      <div ref={box} aria-hidden="true" class="plot" />
      <details>
        <summary>Show as a table</summary>
        <table class="numbers" aria-label={label}>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day, i) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                {series.map(({ name, values }) => (
                  <td key={name}>{values[i]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

function optionsOf(element: HTMLElement, series: readonly Series[]): uPlot.Options {
  // The canvas needs computed colours: it cannot read custom properties or color-mix().
  const probe = document.createElement('span');
  element.append(probe);
  const colorOf = (token: string): string => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  };
  const line = colorOf('line');
  const axis = {
    stroke: colorOf('muted'),
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    font: '12px system-ui',
  };
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 7 }, drag: { x: false } },
    scales: { x: { time: true }, y: { range: (_plot, _low, high) => [0, Math.max(4, high * 1.1)] } },
    axes: [
      { ...axis, grid: { show: false }, size: 26, space: 70, values: (_plot, ticks) => ticks.map(dayOf) },
      { ...axis, size: 38, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000] },
    ],
    series: [
      {},
      ...series.map(({ name, color }) => ({
        label: name,
        stroke: colorOf(color),
        width: 2,
        points: { show: false },
      })),
    ],
    hooks: { setCursor: [showValues(series)] },
  };
  probe.remove();
  return options;
}

/** Shows the numbers of the day under the pointer next to it. */
const showValues = (series: readonly Series[]) => (plot: uPlot) => {
  const { idx, left = 0 } = plot.cursor;
  const known = plot.over.querySelector<HTMLElement>('.tip');
  if (idx === null || idx === undefined || left < 0) {
    known?.remove();
    return;
  }
  const tip = known ?? document.createElement('div');
  tip.className = 'tip';
  tip.textContent = [
    dayOf(plot.data[0][idx] ?? 0),
    ...series.map(({ name, values }) => `${name} ${values[idx] ?? 0}`),
  ].join(' · ');
  if (known === null) plot.over.append(tip);
  tip.style.left = `${Math.min(left, plot.over.clientWidth - tip.offsetWidth)}px`;
};
