import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { runTool } from '../../../src/embedded/run-tool.ts';
import { pythonPackages } from './python-packages.ts';

/** Fetches aioquic once; `all-servers.ts` calls it before the tests, so that no test waits for it. */
export const obtainAioquic = (): Promise<string> => pythonPackages('aioquic', 'aioquic-requirements.txt');

export interface Http3Answer {
  /** 0 if the server ended the connection or the stream. */
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Sends one request over HTTP/3, with an implementation that is independent of the edge's. */
export async function visitByHttp3(
  port: number,
  rootFile: string,
  hostname: string,
  { host = hostname, path = '/' }: { host?: string; path?: string } = {},
): Promise<Http3Answer> {
  const script = join(import.meta.dirname, 'http3_request.py');
  const args = [script, await obtainAioquic(), String(port), hostname, host, path, rootFile];
  const { ok, output } = await runTool('python3', args);
  if (!ok) throw new Error(`The HTTP/3 client failed: ${output}`);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Http3Answer;
}

export interface Http3Counts {
  requests: number;
  failed: number;
  connections: number;
  failed_connections: number;
}

/** Sends requests over a kept HTTP/3 connection until it is stopped, and returns after the first answer. A lost connection is opened again. */
export async function startHttp3Visitor(
  port: number,
  rootFile: string,
  hostname: string,
): Promise<{ stop(): Promise<Http3Counts> }> {
  const script = join(import.meta.dirname, 'http3_visits.py');
  const args = ['-B', script, await obtainAioquic(), String(port), hostname, hostname, '/', rootFile];
  const child = spawn('python3', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const ended = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), ended]);
  return {
    async stop() {
      child.stdin.end();
      await ended;
      const counts = output.trim().split('\n').at(-1) ?? '';
      return JSON.parse(counts) as Http3Counts;
    },
  };
}
