import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pythonPackages } from './python-packages.ts';

/** Fetches the Domain Connect project's own code for DNS providers; `all-servers.ts` does so before the tests. */
export const obtainDomainConnectZone = (): Promise<string> =>
  pythonPackages('domainconnectzone', 'domainconnectzone-requirements.txt', ['domainconnectzone==4.0.0']);

/** Runs a Python program with the package installed and the JSON input in `given`. Returns its last output. */
export async function inPython(program: string, given: unknown): Promise<unknown> {
  const folder = await obtainDomainConnectZone();
  const begin = 'import json, sys\nsys.path.insert(0, sys.argv[1])\ngiven = json.loads(sys.argv[2])\n';
  const { stdout } = await promisify(execFile)('python3', ['-c', begin + program, folder, JSON.stringify(given)]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}
