import type { Theme } from './types.ts';

/** Writes a tenant's theme into custom properties. Skips invalid values with a warning in the console. */
export function applyTheme(element: HTMLElement, theme: Theme): void {
  const set = (name: string, property: string, value: string | undefined) => {
    if (value === undefined) return;
    if (CSS.supports(property, value)) element.style.setProperty(name, value);
    else console.warn(`[svc] theme: "${value}" is not a valid ${property}.`);
  };
  set('--accent', 'color', theme.accentColor);
  set('--on-accent', 'color', theme.accentTextColor);
  set('--bg', 'color', theme.background);
  set('--fg', 'color', theme.foreground);
  set('--radius', 'border-radius', theme.radius);
  const scheme = schemeOf(element, theme);
  if (scheme !== null) element.dataset['scheme'] = scheme;
  if (theme.accentColor !== undefined && theme.accentTextColor === undefined)
    element.style.setProperty('--on-accent', isDark(element, '--accent') ? '#fff' : '#111');
}

/** Derives light or dark from the theme's colours. Null leaves the choice to the stylesheet's media query. */
function schemeOf(element: HTMLElement, { background, foreground }: Theme): 'light' | 'dark' | null {
  if (background !== undefined) return isDark(element, '--bg') ? 'dark' : 'light';
  if (foreground !== undefined) return isDark(element, '--fg') ? 'light' : 'dark';
  return null;
}

/** Whether white text contrasts better than black: WCAG relative luminance of the computed colour below 0.18. */
function isDark(element: HTMLElement, property: string): boolean {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  element.appendChild(probe);
  const channels = getComputedStyle(probe).color.match(/[\d.]+/g) ?? [];
  element.removeChild(probe);
  let luminance = 0;
  const weights = [0.2126, 0.7152, 0.0722];
  for (let i = 0; i < 3; i += 1) {
    const c = Number(channels[i] ?? 0) / 255;
    luminance += (weights[i] ?? 0) * (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  }
  return luminance < 0.18;
}
