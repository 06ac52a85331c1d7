import { execFileSync } from 'node:child_process';
import { z } from 'zod';

/**
 * `npm run -s sbom`: what production runs, with versions and licences, as CycloneDX. npm's own `--omit=dev` also leaves out
 * what a development dependency happens to need too, Temporal's SDK among it; so the whole list is made and what is only
 * for development is taken out by the mark that npm gives it.
 */
const Sbom = z.looseObject({
  components: z.array(
    z.looseObject({
      'bom-ref': z.string(),
      name: z.string(),
      licenses: z.array(z.unknown()).optional(),
      properties: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
    }),
  ),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
});

/** Of packages whose package.json names no licence: what their LICENSE is. */
const LICENCE_IN_FILE: Readonly<Record<string, string>> = { unionfs: 'Unlicense' };

const made = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx'], { maxBuffer: 1 << 27 }).toString();
const { components, dependencies, ...rest } = Sbom.parse(JSON.parse(made));
const forDevelopment = new Set(
  components
    .filter(({ properties }) => properties.some(({ name }) => name === 'cdx:npm:package:development'))
    .map((component) => component['bom-ref']),
);
const kept = {
  ...rest,
  components: components
    .filter((component) => !forDevelopment.has(component['bom-ref']))
    .map((component) => ({ ...component, licenses: component.licenses ?? licenceInFile(component.name) })),
  dependencies: dependencies
    .filter(({ ref }) => !forDevelopment.has(ref))
    .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => !forDevelopment.has(ref)) })),
};
process.stdout.write(`${JSON.stringify(kept, null, 2)}\n`);

function licenceInFile(name: string): unknown[] {
  const id = LICENCE_IN_FILE[name];
  return id === undefined ? [] : [{ license: { id } }];
}
