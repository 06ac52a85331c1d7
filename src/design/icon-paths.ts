/** SVG paths of the icons that the widget and the console share, drawn as lines in a square of 24. */
export const ICON_PATHS = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  out: 'M10 5H5v14h14v-5M14 4h6v6M20 4l-9 9',
  alert: 'M12 8v5M12 16.5v.01M12 3.5l9.5 17h-19z',
  clock: 'M12 7v5l3.5 2M12 3a9 9 0 100 18 9 9 0 000-18z',
  globe: 'M12 3a9 9 0 100 18 9 9 0 000-18zM3 12h18M12 3c3 3 3.8 6 3.8 9s-.8 6-3.8 9c-3-3-3.8-6-3.8-9s.8-6 3.8-9z',
};
