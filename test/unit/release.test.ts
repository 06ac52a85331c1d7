import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../src/api/openapi.ts';
import { currentDigests, DIGEST_FILE } from '../../tools/clients/digest.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
interface Package {
  private?: boolean;
  version: string;
  name: string;
  license: string;
}
const packageIn = (name: string) => JSON.parse(read(name)) as Package;
const { version, license } = packageIn('package.json');

test('every part of a release has the version of package.json', () => {
  const { info } = openApiDocument() as { info: { version: string } };
  const lock = JSON.parse(read('package-lock.json')) as Package;
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect({ lock: lock.version, client: packageIn('client/package.json').version, api: info.version }).toEqual({
    lock: version,
    client: version,
    api: version,
  });
  expect(read('Dockerfile')).toContain(`ARG VERSION=${version}\n`);
  expect(read('clients/python/pyproject.toml')).toContain(`\nversion = "${version}"\n`);
  for (const page of ['README.md', 'docs/clients.md', 'docs/runbooks/release.md'])
    for (const [, named] of read(page).matchAll(/domain-connection-client-(\d[\d.]*\d)\.tgz/g))
      expect([page, named]).toEqual([page, version]);
});

test('the changelog has a section for the version, with a date, below Unreleased', () => {
  const sections = [...read('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
  expect(sections[0]).toBe('Unreleased');
  expect(sections[1]).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d\\d-\\d\\d\\)$`));
});

test('npm refuses to publish the service: only the client is a package', () => {
  expect(packageIn('package.json').private).toBe(true);
  expect(packageIn('client/package.json').private).toBeUndefined();
});

test('the clients have one name and one licence', () => {
  expect(packageIn('client/package.json')).toMatchObject({ name: 'domain-connection-client', license });
  const python = read('clients/python/pyproject.toml');
  expect(python).toContain('\nname = "domain-connection-client"\n');
  expect(python).toContain(`\nlicense = "${license}"\n`);
  expect(read('clients/go/go.mod')).toMatch(/^module domain-connection-client\n/);
  for (const folder of ['client', 'clients/python', 'clients/go'])
    expect([folder, read(`${folder}/LICENSE`) === read('LICENSE')]).toEqual([folder, true]);
});

test('the Python and Go clients were generated from the current routes, and not edited (`npm run clients`)', () => {
  expect(readFileSync(DIGEST_FILE, 'utf8')).toBe(currentDigests());
});
