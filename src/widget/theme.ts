import type { Theme } from './types.ts';

/** Writes a tenant's theme into custom properties. What is no colour or length is left out, with a word to the developer. */
export function applyTheme(element: HTMLElement, theme: Theme): void {
  const set = (name: string, property: string, value: string | undefined) => {
    if (value === undefined) return;
    if (CSS.supports(property, value)) element.style.setProperty(name, value);
    else console.warn(`[svc] theme: "${value}" is no ${property}.`);
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

/** A theme with a background decides; else the browser's preference does, in the stylesheet. */
function schemeOf(element: HTMLElement, { background, foreground }: Theme): 'light' | 'dark' | null {
  if (background !== undefined) return isDark(element, '--bg') ? 'dark' : 'light';
  if (foreground !== undefined) return isDark(element, '--fg') ? 'light' : 'dark';
  return null;
}

/** WCAG's relative luminance of the colour as the browser reads it; below 0.18, white stands out better than black. */
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
