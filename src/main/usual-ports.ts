import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writePrivate } from './local-keys.ts';

const Ports = z.object({
  internal: z.number().optional(),
  temporal: z.number().optional(),
  temporal_ui: z.number().optional(),
  edge_http: z.number().optional(),
  edge_https: z.number().optional(),
  feed: z.number().optional(),
});
type Ports = z.infer<typeof Ports>;

/** Returns the ports that this data folder used before, if they are free, so that links and bookmarks stay valid. */
export async function usualPorts(dataDir: string): Promise<Ports & { remember(ports: Ports): Promise<void> }> {
  const file = join(dataDir, 'ports.json');
  let kept = Ports.safeParse(await readJson(file).catch(() => undefined)).data ?? {};
  return {
    ...kept,
    async remember(ports) {
      kept = { ...kept, ...ports };
      await writePrivate(file, kept);
    },
  };
}
