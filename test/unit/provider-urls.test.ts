import { join } from 'node:path';
import { runTool } from '../../src/embedded/run-tool.ts';
import { providerUrls } from '../../src/main/provider-urls.ts';
import { descriptors } from '../../src/providers/registry.ts';

const urlOf = (slug: string) => `PROVIDER_${slug.toUpperCase()}_URL`;
const ELSEWHERE = 'http://127.0.0.1:9/api';

const withTokens = descriptors().filter((descriptor) => descriptor.token_url !== undefined);

test.each(withTokens.map(({ slug, token_url }) => [slug, token_url ?? '']))(
  'a URL of %s without one for its tokens is refused, because secrets would still go to %s',
  (slug, tokenUrl) => {
    expect(() => providerUrls({ [urlOf(slug)]: ELSEWHERE })).toThrow(
      `${urlOf(`${slug}_token`)} must be set, because ${urlOf(slug)} is`,
    );
    expect(() => providerUrls({ [urlOf(slug)]: ELSEWHERE })).toThrow(tokenUrl);
    const both = { [urlOf(slug)]: ELSEWHERE, [urlOf(`${slug}_token`)]: ELSEWHERE };
    expect(Object.fromEntries(providerUrls(both))).toEqual({ [slug]: ELSEWHERE, [`${slug}_token`]: ELSEWHERE });
  },
);

const plain = { slug: 'plain', name: 'Plain' };

test.each([
  ['a misspelt provider', { PROVIDER_PLANE_URL: ELSEWHERE }, 'PROVIDER_PLANE_URL: no such setting'],
  ['a token URL where there are no tokens', { PROVIDER_PLAIN_TOKEN_URL: ELSEWHERE }, 'no such setting'],
  ['text that is no URL', { PROVIDER_PLAIN_URL: '127.0.0.1:9' }, 'must be an http or https URL'],
  ['a URL with a query', { PROVIDER_PLAIN_URL: `${ELSEWHERE}?key=1` }, 'must be an http or https URL'],
])('%s is refused', (_, env, message) => {
  expect(() => providerUrls(env, [plain])).toThrow(message);
});

test('an empty setting counts as absent', () => {
  expect(providerUrls({ PROVIDER_PLAIN_URL: '', PROVIDER_OTHER: 'x' }, [plain]).size).toBe(0);
});

test('a process refuses such settings before it connects to anything', async () => {
  const { ok, output } = await runTool(process.execPath, [join(__dirname, '..', '..', 'src', 'main', 'worker.ts')], {
    env: { PATH: process.env['PATH'], PROVIDER_NOBODY_URL: ELSEWHERE },
  });
  expect(ok).toBe(false);
  expect(output).toMatch(/^PROVIDER_NOBODY_URL: no such setting\./);
});
