import { delimiter, join } from 'node:path';
import { goBuild } from '../../src/embedded/go-build.ts';
import { lastLines, runTool } from '../../src/embedded/run-tool.ts';
import { obtain } from '../../src/embedded/servers.ts';
import { pythonPackages } from '../../test/support/servers/python-packages.ts';

const say = (line: string) => process.stderr.write(`${line}\n`);

/** Returns the folder with the generator of the Python client and with the packages that the client needs. */
export const obtainPythonPackages = (): Promise<string> =>
  pythonPackages('python-client', join(import.meta.dirname, 'requirements.txt'));

/** Returns the settings with which Python finds these packages, and their programs. */
export function pythonEnvironment(...folders: string[]): NodeJS.ProcessEnv {
  const programs = folders.map((folder) => join(folder, 'bin'));
  return {
    ...process.env,
    PYTHONPATH: folders.join(delimiter),
    PYTHONDONTWRITEBYTECODE: '1',
    PATH: [...programs, process.env['PATH']].join(delimiter),
  };
}

/** Fetches the modules that the Go client needs; `all-servers.ts` does so before the tests. */
export async function obtainGoModules(): Promise<void> {
  const { ok, output } = await runTool('go', ['mod', 'download'], {
    cwd: join(import.meta.dirname, '../../clients/go'),
  });
  if (!ok) throw new Error(`Go could not fetch the modules of the client: ${lastLines(output)}`);
}

/** Returns the path of the generator of the Go client. */
export const obtainGoGenerator = (): Promise<string> =>
  obtain(
    {
      title: 'The generator of the Go client',
      program: 'oapi-codegen',
      pathVariable: 'OAPI_CODEGEN_PATH',
      install: 'Go 1.26',
      recipes: async (tools) => [
        await goBuild(join(tools, 'clients'), {
          title: 'the generator of the Go client',
          program: 'oapi-codegen',
          module: 'github.com/oapi-codegen/oapi-codegen/v2',
          package: 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen',
          takes: '1 minute',
        }),
      ],
    },
    { onProgress: say },
  );
