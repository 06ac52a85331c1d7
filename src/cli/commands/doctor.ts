import { EXIT, type Command } from '../command.ts';
import { checkHealth, type HealthCheck } from '../health-checks.ts';

const doctor: Command = {
  name: 'doctor',
  usage: '',
  summary: 'Look at the database, Temporal, edges, DNS, keys and clock: what is not well, and what to do',
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
