import { ICON_PATHS } from '../../design/icon-paths.ts';

/** SVG paths of the console's icons, drawn as lines in a square of 24. */
const PATHS = {
  ...ICON_PATHS,
  home: 'M4 11l8-7 8 7v9h-5.5v-6h-5v6H4z',
  plus: 'M12 5v14M5 12h14',
  key: 'M14.5 3.5a6 6 0 100 12 6 6 0 000-12zM10 14l-6.5 6.5M6 18l2.5 2.5',
  plug: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 01-12 0zM12 17v4',
  bell: 'M6 16V10a6 6 0 1112 0v6l2 2H4zM10 21h4',
  chart: 'M4 20h16M6.5 16v-5M12 16V5M17.5 16v-8',
  list: 'M8 6h12M8 12h12M8 18h12M4 6v.01M4 12v.01M4 18v.01',
  people:
    'M9 5a3.5 3.5 0 100 7 3.5 3.5 0 000-7zM2.5 20c.5-3.5 3-5 6.5-5s6 1.5 6.5 5M16 5.5a3.5 3.5 0 010 6.5M18 15.5c2 .7 3.2 2.2 3.5 4.5',
  flask: 'M9 3h6M10 3v6l-5.5 9a2 2 0 002 3h11a2 2 0 002-3L14 9V3M8 14h8',
  search: 'M10.5 4a6.5 6.5 0 100 13 6.5 6.5 0 000-13zM15.5 15.5L21 21',
  menu: 'M4 6h16M4 12h16M4 18h16',
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
};
export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
