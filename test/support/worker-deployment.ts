import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { until } from './until.ts';

export const DEPLOYMENT = 'connections';

/** Makes a build of the workers current or ramping, as soon as the server knows it, which is from its first poll on. */
export const setWorkerVersion = (address: string, command: string, ...which: string[]): Promise<void> => {
  const deployment = ['--deployment-name', DEPLOYMENT, '--address', address, '--yes'];
  const args = ['worker', 'deployment', command, ...which, ...deployment];
  return until(() =>
    promisify(execFile)(process.env['TEMPORAL_CLI_PATH']!, args).then(
      () => true,
      () => false,
    ),
  );
};
