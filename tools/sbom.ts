import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/**
 * Prints the packages that production runs, with versions and licences, as CycloneDX: `npm run -s sbom`. npm's own
 * `--omit=dev` also omits packages that a development dependency shares, such as Temporal's SDK, and lists only one of two
 * copies of a version. So this tool takes the whole list and selects the production packages by the lock file.
 */
const Sbom = z.looseObject({
  components: z.array(
    z.looseObject({
      'bom-ref': z.string(),
      name: z.string(),
      version: z.string(),
      licenses: z.array(z.unknown()).optional(),
    }),
  ),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
});

/** Licences of packages whose package.json names none, taken from their LICENSE file. */
const LICENCE_IN_FILE: Readonly<Record<string, string>> = { unionfs: 'Unlicense' };

const Lock = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional(), dev: z.boolean().default(false) })),
});

const made = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx'], { maxBuffer: 1 << 27 }).toString();
const { components, dependencies, ...rest } = Sbom.parse(JSON.parse(made));
const { packages } = Lock.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
const inProduction = new Set(
  Object.entries(packages)
    .filter(([, { dev }]) => !dev)
    .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`),
);
const production = components.filter(({ name, version }) => inProduction.has(`${name}@${version}`));
const refs = new Set([...production.map((component) => component['bom-ref']), dependencies[0]?.ref]);
const kept = {
  ...rest,
  components: production.map((component) => ({
    ...component,
    licenses: component.licenses ?? licenceInFile(component.name),
  })),
  dependencies: dependencies
    .filter(({ ref }) => refs.has(ref))
    .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => refs.has(ref)) })),
};
process.stdout.write(`${JSON.stringify(kept, null, 2)}\n`);

function licenceInFile(name: string): unknown[] {
  const id = LICENCE_IN_FILE[name];
  return id === undefined ? [] : [{ license: { id } }];
}
