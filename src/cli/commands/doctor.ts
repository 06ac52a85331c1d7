import { EXIT, type Command } from '../command.ts';
import { checkHealth, type HealthCheck } from '../health-checks.ts';

const doctor: Command = {
  name: 'doctor',
  usage: '',
  summary:
    'Checks the database, schema, clock, Temporal, edges, ask endpoint, DNS and keys, and prints a fix for each problem',
  options: {},
  requires: [],
  async run(_values, access) {
    const checks = await checkHealth(access);
    return {
      json: { checks },
      lines: checks.flatMap(linesOf),
      exitCode: checks.some(({ status }) => status === 'fail') ? EXIT.wrong : 0,
    };
  },
};

export const doctorCommands = [doctor];

const linesOf = ({ name, status, message, fix }: HealthCheck): string[] => [
  `${status.padEnd(4)}  ${name.padEnd(8)}  ${message}`,
  ...(fix === null ? [] : [`                → ${fix}`]),
];
