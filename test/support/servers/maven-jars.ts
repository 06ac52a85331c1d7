import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Unobtainable, type Recipe } from '../../../src/embedded/recipe.ts';
import { runTool } from '../../../src/embedded/run-tool.ts';

/** A test stops the script by its process id, so the script replaces itself with Java. */
const WRAPPER = `#!/bin/sh
exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -cp "\${0%/*}/lib/*" io.temporal.testserver.TestServer "$@"
`;

/** Temporal's time-skipping server: the jars that pom.xml pins, and a script that runs them with Java. */
export async function mavenJars(program: string, pom: string): Promise<Recipe> {
  const version = /<temporal\.version>(.+)<\/temporal\.version>/.exec(await readFile(pom, 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${pom} contains no temporal.version.`);
  return {
    key: `${program}-${version}`,
    program,
    async make(folder, onProgress) {
      for (const [command, flag] of [
        ['java', '-version'],
        ['mvn', '-version'],
      ] as const) {
        if (!(await runTool(command, [flag])).ok) throw new Unobtainable(`${command} is not installed`);
      }
      onProgress(`Fetching the time-skipping Temporal ${version} with Maven, about 2 minutes …`);
      const goal = [
        'dependency:copy-dependencies',
        '-DincludeScope=runtime',
        `-DoutputDirectory=${join(folder, 'lib')}`,
      ];
      const { ok, output } = await runTool('mvn', ['-q', '-B', '-Dstyle.color=never', '-f', pom, ...goal]);
      // Maven prints the cause first and ends with advice.
      if (!ok) throw new Unobtainable(`Maven could not download it (${output.split('\n', 1)[0] ?? ''})`);
      await writeFile(join(folder, program), WRAPPER, { mode: 0o755 });
    },
  };
}
