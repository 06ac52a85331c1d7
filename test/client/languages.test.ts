import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, isListening } from '../../src/embedded/ports.ts';
import { runTool } from '../../src/embedded/run-tool.ts';
import { obtainPythonPackages, pythonEnvironment } from '../../tools/clients/generators.ts';
import { edgeSignature } from '../../tools/clients/vectors.ts';
import { codeBlocks } from '../support/code-blocks.ts';
import { Service, type Demo } from '../support/fixtures/service.ts';
import { openApiPatterns } from '../support/openapi-patterns.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** Runs the programs of docs/clients.md in each language against one service, and the clients' own tests. */
jest.setTimeout(240_000);

const ROOT = join(import.meta.dirname, '../..');
const PROGRAMS = ['connect', 'receive', 'origin'] as const;
type Program = (typeof PROGRAMS)[number];
type Command = [program: string, args: string[], env?: NodeJS.ProcessEnv];
interface Language {
  /** Installs the client in an empty project, and adds the programs to it. */
  install(project: string, programs: Record<Program, string>): Promise<(program: Program) => Command>;
  /** Checks that do not need the service. */
  check(project: string): Promise<void>;
}

async function execute(program: string, args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const { ok, output } = await runTool(program, args, options);
  if (!ok) throw new Error(`${program} ${args.join(' ')} failed:\n${output}`);
  return output;
}

/** Writes each program into a folder of its own. */
async function write(project: string, name: string, codeOf: (program: Program) => string): Promise<void> {
  for (const program of PROGRAMS) {
    await mkdir(join(project, program));
    await writeFile(join(project, program, name), codeOf(program));
  }
}

let packages: string;
const LANGUAGES: Record<'ts' | 'python' | 'go', Language> = {
  ts: {
    async install(project, programs) {
      // package.test.ts installs the packed client. This is the same code without the compiler, which needs longer.
      const client = JSON.stringify(join(ROOT, 'client/index.ts'));
      await symlink(join(ROOT, 'node_modules'), join(project, 'node_modules'));
      await writeFile(join(project, 'package.json'), '{"type":"module"}');
      await write(project, 'main.ts', (program) => programs[program].replace("'domain-connection-client'", client));
      return (program) => [process.execPath, [join(project, program, 'main.ts')]];
    },
    check: () => Promise.resolve(),
  },
  python: {
    async install(project, programs) {
      packages = await obtainPythonPackages();
      // pip writes into the folder of the sources.
      await cp(join(ROOT, 'clients/python'), join(project, 'sources'), { recursive: true });
      const pip = ['-m', 'pip', 'install', '--quiet', '--no-build-isolation', '--no-deps', '--no-index', '--target'];
      await execute('python3', [...pip, join(project, 'installed'), join(project, 'sources')], {
        env: pythonEnvironment(packages),
      });
      await write(project, 'main.py', (program) => programs[program]);
      const env = pythonEnvironment(join(project, 'installed'), packages);
      return (program) => ['python3', [join(project, program, 'main.py')], env];
    },
    async check(project) {
      const env = pythonEnvironment(join(project, 'installed'), packages);
      await execute('python3', ['-m', 'compileall', '-q', join(project, 'installed/domain_connection_client')], {
        env,
      });
      await execute('python3', ['-m', 'unittest', 'discover', '-s', join(ROOT, 'clients/python/tests')], { env });
      const compile = 'import json, re, sys; [re.compile(one) for one in json.loads(sys.argv[1])]';
      await execute('python3', ['-W', 'error', '-c', compile, JSON.stringify(openApiPatterns())]);
    },
  },
  go: {
    async install(project, programs) {
      const replace = `domain-connection-client=${join(ROOT, 'clients/go')}`;
      await execute('go', ['mod', 'init', 'my-app'], { cwd: project });
      await execute('go', ['mod', 'edit', '-replace', replace], { cwd: project });
      await execute('go', ['get', 'domain-connection-client'], { cwd: project });
      await write(project, 'main.go', (program) => programs[program]);
      await execute('go', ['build', '-o', join(project, 'built/'), './...'], { cwd: project });
      return (program) => [join(project, 'built', program), []];
    },
    async check(project) {
      for (const args of [['vet', './...'], ['test', './...']]) await execute('go', args, { cwd: join(ROOT, 'clients/go') }); // prettier-ignore
      const lines = openApiPatterns().map((one) => `\tregexp.MustCompile(${JSON.stringify(one)})\n`);
      await mkdir(join(project, 'patterns'));
      await writeFile(join(project, 'patterns/main.go'), `package main\n\nimport "regexp"\n\nfunc main() {\n${lines.join('')}}\n`); // prettier-ignore
      await execute('go', ['run', './patterns'], { cwd: project });
    },
  },
};

let service: Service;
let demo: Demo;
beforeAll(async () => {
  service = await Service.start(await tempFolder());
  demo = await service.demo();
});
afterAll(() => service.stop());

describe.each(['ts', 'python', 'go'] as const)('docs/clients.md in %s', (language) => {
  const hostname = `n${crypto.randomUUID().slice(0, 8)}.auto.test`;
  let project: string;
  let command: (program: Program) => Command;
  let receiverPort: number;
  let originPort: number;
  const running: ChildProcess[] = [];

  /** Starts a program, and returns everything that it prints. */
  function start(program: Program, env: NodeJS.ProcessEnv): { child: ChildProcess; output: () => string } {
    const [executable, args, own = process.env] = command(program);
    const child = spawn(executable, args, { cwd: project, env: { ...own, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    running.push(child);
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk.toString())); // prettier-ignore
    return { child, output: () => printed };
  }

  beforeAll(async () => {
    [project, receiverPort, originPort] = [await tempFolder(), await freePort(), await freePort()];
    const blocks = codeBlocks().filter(({ page, language: of }) => page === 'docs/clients.md' && of === language);
    expect(blocks).toHaveLength(PROGRAMS.length);
    const [connect = '', receive = '', origin = ''] = blocks.map(({ code }) =>
      code
        .replaceAll('http://127.0.0.1:8080', demo.base_url)
        .replaceAll('shop-3.auto.test', hostname)
        .replaceAll('"shop-3"', JSON.stringify(hostname))
        .replaceAll('3000', String(receiverPort))
        .replaceAll('3001', String(originPort)),
    );
    command = await LANGUAGES[language].install(project, { connect, receive, origin });
  });
  afterAll(async () => {
    for (const child of running.filter(({ exitCode }) => exitCode === null)) {
      child.kill();
      await once(child, 'exit');
    }
  });

  test('compiles, and its regular expressions and verifiers work', () => LANGUAGES[language].check(project));

  test('a hostname goes live, is listed, and its webhooks are verified', async () => {
    const { body } = await service.call('POST', '/webhook-endpoints', {
      application_id: demo.test.application_id,
      url: `http://127.0.0.1:${receiverPort}/`,
    });
    const receiver = start('receive', { WEBHOOK_SECRET: String(body['signing_secret']) });
    await until(() => isListening(receiverPort), 30_000);

    const { child, output } = start('connect', { KEY: demo.test.key, APP: demo.test.application_id });
    await once(child, 'close');

    expect(output()).toContain(`${hostname} is live\n`);
    expect(output()).toContain(`- ${hostname}\n`);
    for (const type of ['domain.added', 'domain.verified', 'domain.flow.completed'])
      await until(() => new RegExp(`^${type} [0-9a-f-]{36}$`, 'm').test(receiver.output()), 30_000);
    expect((await fetch(`http://127.0.0.1:${receiverPort}/`, { method: 'POST', body: '{}' })).status).toBe(400);
    await service.call('DELETE', `/webhook-endpoints/${String(body['id'])}`);
  });

  test('an error answer has its code, its message and its request id', async () => {
    const { child, output } = start('connect', { KEY: 'sk_test_wrong', APP: demo.test.application_id });
    await once(child, 'close');
    expect(output()).toContain('unauthorized');
  });

  test('an origin accepts a request of an edge, once', async () => {
    const secret = `edgesec_${Buffer.alloc(32, 7).toString('base64')}`;
    start('origin', { EDGE_SECRET: secret });
    await until(() => isListening(originPort), 30_000);
    const seconds = String(Math.floor(Date.now() / 1_000));
    const request = { method: 'GET', host: hostname, uri: '/a%2Fb?c=%20', id: crypto.randomUUID(), metadata: 'bQ==' };
    const headers = {
      'x-svc-edge-signature': `t=${seconds},v1=${edgeSignature(seconds, request, secret)}`,
      'x-forwarded-host': request.host,
      'x-request-id': request.id,
      'x-svc-metadata': request.metadata,
    };
    const visit = async (sent: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${originPort}${request.uri}`, { headers: sent })).status;

    expect(await visit({})).toBe(403);
    expect(await visit(headers)).toBe(200);
    expect(await visit(headers)).toBe(403);
  });
});
