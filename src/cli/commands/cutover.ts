import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { CUTOVER_STATES, isInProgress } from '../../domain/connection/cutover.ts';
import { API_OPTIONS, type ApiAccess } from '../api-access.ts';
import { EXIT, hostnameIn, type ApiCommand, type Output, type Values } from '../command.ts';
import { CommandError, UsageError } from '../errors.ts';
import { progressLine } from '../progress.ts';

const cutover: ApiCommand = {
  name: 'cutover',
  summary: 'Moves a running site here, and restores its old records if it fails',
  details:
    'The connection must hold (point: "hold") or wait because of conflicting records. Ending the command does not stop the cutover.',
  options: {
    'dry-run': { type: 'boolean', help: 'Only show the records that would be replaced' },
    watch: { type: 'boolean', help: 'Wait until the cutover has ended' },
    'observe-for': { type: 'string', value: 'SECONDS', help: 'How long to probe the site after the move' },
    'lower-ttl': { type: 'string', value: 'SECONDS', help: 'Lower the TTL of the old records first, and wait' },
    path: { type: 'string', value: 'PATH', help: 'Path to request. Defaults to /' },
    'expect-status': { type: 'string', value: 'STATUS', help: 'Status to expect. Defaults to any from 200 to 399' },
    'expect-text': { type: 'string', value: 'TEXT', help: 'Text to expect in the response' },
    ...API_OPTIONS,
  },
  examples: ['cutover shop.brand.com --dry-run', 'cutover shop.brand.com --watch'],
  requires: ['HOSTNAME'],
  positional: 'HOSTNAME',
  async runByApi(values, api) {
    const hostname = hostnameIn(values, 'HOSTNAME');
    const path = `/connections/${await connectionOf(api, hostname)}/cutover`;
    const made = Cutover.parse(await api.call('POST', path, requestIn(values)));
    return values['watch'] === true && isInProgress(made.state) ? watch(api, path) : outputOf(made);
  },
};

export const cutoverCommands = [cutover];

const Moved = z.object({ host: z.string(), type: z.string(), value: z.string(), ttl: z.number() });
const Cutover = z.looseObject({
  state: z.enum(CUTOVER_STATES),
  plan: z.object({ removes: z.array(Moved), adds: z.array(Moved) }),
  probes: z.array(z.object({ verdict: z.string(), message: z.string().nullable() })),
  reason: z.string().nullable(),
});
type Cutover = z.infer<typeof Cutover>;

const Connections = z.object({ data: z.array(z.object({ id: z.uuid(), state: z.string() })) });

async function connectionOf(api: ApiAccess, hostname: string): Promise<string> {
  const { data } = Connections.parse(await api.call('GET', `/connections?hostname=${encodeURIComponent(hostname)}`));
  const [only, ...others] = data.filter(({ state }) => state !== 'archived');
  if (only === undefined || others.length > 0)
    throw new CommandError(`The key reaches ${others.length + (only ? 1 : 0)} connections of ${hostname}.`);
  return only.id;
}

function requestIn(values: Values): object {
  const { path, 'expect-text': text } = values;
  const [status, observe_for, lower_ttl] = [numberIn(values, 'expect-status'), numberIn(values, 'observe-for'), numberIn(values, 'lower-ttl')]; // prettier-ignore
  return {
    dry_run: values['dry-run'] === true,
    ...(observe_for === undefined ? {} : { observe_for }),
    ...(lower_ttl === undefined ? {} : { lower_ttl }),
    probe: {
      ...(path === undefined ? {} : { path }),
      ...(text === undefined ? {} : { expect_text: text }),
      ...(status === undefined ? {} : { expect_status: status }),
    },
  };
}

function numberIn(values: Values, option: string): number | undefined {
  const text = values[option];
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !/^\d{1,6}$/.test(text)) throw new UsageError(`--${option} must be a whole number.`);
  return Number(text);
}

const POLL_EVERY_MS = 1_000;

async function watch(api: ApiAccess, path: string): Promise<Output> {
  const line = progressLine(process.stderr);
  for (;;) {
    const seen = Cutover.parse(await api.call('GET', path));
    line.show(progressOf(seen));
    if (!isInProgress(seen.state)) {
      line.end();
      return outputOf(seen);
    }
    await pause(POLL_EVERY_MS);
  }
}

/** Returns the progress in one line: the state, and the newest probe. */
function progressOf({ state, probes }: Cutover): string {
  const last = probes.at(-1);
  return last === undefined ? state : `${state}  ${last.message ?? 'The site works.'}`;
}

const outputOf = (seen: Cutover): Output => ({
  json: seen,
  lines: [
    `${seen.state}${seen.reason === null ? '' : `: ${seen.reason}`}`,
    ...seen.plan.removes.map(({ host, type, value, ttl }) => `- ${host} ${ttl} ${type} ${value}`),
    ...seen.plan.adds.map(({ host, type, value, ttl }) => `+ ${host} ${ttl} ${type} ${value}`),
  ],
  exitCode: ENDED_BADLY.has(seen.state) ? EXIT.wrong : 0,
});
const ENDED_BADLY: ReadonlySet<string> = new Set(['reverted', 'cancelled', 'failed']);
