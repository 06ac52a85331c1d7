import { EXIT, type Command } from '../command.ts';
import { checkHealth, type HealthCheck } from '../health-checks.ts';

const doctor: Command = {
  name: 'doctor',
  summary: 'Checks every part of the installation and prints a fix for each problem',
  details: 'Checks the database, schema, clock, Temporal, edges, ask endpoint, DNS and keys.',
  examples: ['doctor', 'doctor --json'],
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
