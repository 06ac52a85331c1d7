import type { Locale } from '../locales/words.ts';

/** Names of the other files of this build. Each name has a hash of the content. The build defines this constant. */
declare const SDK_FILES: {
  /** Hash in the names of the translations. */
  words: Record<'widget' | 'setup' | 'email', string>;
  modules: Record<'setup' | 'email', { file: string; integrity: string }>;
};

type PartName = keyof typeof SDK_FILES.words;
type ModuleName = keyof typeof SDK_FILES.modules;

/** The widget opens only after its language has loaded. After this time it opens in English. */
const WORDS_MS = 2_500;

/** Loads files of the SDK from the service. */
export interface Files {
  /** Returns the content of a JSON file, or null if it did not arrive in time. */
  json<T>(name: string, limitMs: number): Promise<T | null>;
  /** Returns the translated texts of a part in the order of the English keys. Returns null for English, or if late. */
  words(part: PartName, locale: Locale): Promise<readonly string[] | null>;
  module<T>(name: ModuleName): Promise<T>;
}

export function openFiles(baseUrl: string, originalFetch: typeof fetch): Files {
  const urlOf = (name: string): string => `${baseUrl}/sdk/v1/${name}`;
  let failures = 0;

  async function json<T>(name: string, limitMs: number): Promise<T | null> {
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), limitMs);
    try {
      const response = await originalFetch(urlOf(name), { credentials: 'omit', signal: giveUp.signal });
      return response.ok ? ((await response.json()) as T) : null;
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    json,
    words: async (part, locale) =>
      locale === 'en' ? null : json(`${part}-${locale}-${SDK_FILES.words[part]}.json`, WORDS_MS),
    async module<T>(name: ModuleName): Promise<T> {
      const { file, integrity } = SDK_FILES.modules[name];
      // Some browsers remember a failed import by its URL.
      const url = urlOf(file) + (failures === 0 ? '' : `?${failures}`);
      const link = preload(url, integrity);
      try {
        return (await import(url)) as T;
      } catch (error) {
        failures += 1;
        throw error;
      } finally {
        document.head.removeChild(link);
      }
    },
  };
}

/** Makes the browser check the module's integrity (W3C Subresource Integrity), which `import` alone does not. */
function preload(url: string, integrity: string): HTMLLinkElement {
  const link = document.createElement('link');
  link.rel = 'modulepreload';
  link.href = url;
  link.integrity = integrity;
  link.crossOrigin = 'anonymous';
  return document.head.appendChild(link);
}
