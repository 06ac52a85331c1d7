import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { providerOf } from '../../src/providers/registry.ts';
import type { ProviderDouble, StartDouble } from './doubles/double.ts';

const FOLDER = join(import.meta.dirname, 'doubles');

/** The providers that have a double: found, not listed, so that a new one is held to everything at once. */
export const doubledSlugs: readonly string[] = readdirSync(FOLDER)
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => providerOf(name) !== undefined);

export async function startDoubleOf(slug: string): Promise<ProviderDouble> {
  const { start } = (await import(join(FOLDER, `${slug}.ts`))) as { start: StartDouble };
  return start();
}
