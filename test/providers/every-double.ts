import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { providerOf } from '../../src/providers/registry.ts';
import type { ProviderDouble, StartDouble } from './doubles/double.ts';

const FOLDER = join(import.meta.dirname, 'doubles');

/** Slugs of the providers with a double. They are found, not listed, so that every suite covers a new one. */
export const doubledSlugs: readonly string[] = readdirSync(FOLDER)
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => providerOf(name) !== undefined);

export async function startDoubleOf(slug: string): Promise<ProviderDouble> {
  const { start } = (await import(join(FOLDER, `${slug}.ts`))) as { start: StartDouble };
  return start();
}
