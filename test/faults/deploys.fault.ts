import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import { installRuntime } from '../../src/temporal/worker.ts';
import { connectionWorkflowId } from '../../workflows/messages.ts';
import { sendRequests, type Seen } from '../support/fixtures/busy-client.ts';
import { log } from '../support/fixtures/workflow-lab.ts';
import { tries } from '../support/tries.ts';
import { saw } from './report.ts';
import { newName, inLab, WHOLE_STORY, type Actor, type FaultLab } from './fault-lab.ts';

test('row 42: a worker that keeps running out of memory is restarted and replays its runs without a nondeterminism error', async () => {
  await inLab({ row: 42, workers: 0 }, async (lab) => {
    const { actor, heapMb } = await startWithLittleMemory(lab);
    lab.workers.push(actor);
    let deaths = 0;
    const over = new AbortController();
    const supervisor = (async () => {
      while (!over.signal.aborted) {
        const how = await Promise.race([actor.process.exited.then(() => 'dead'), pause(200, 'alive')]);
        if (how === 'alive') continue;
        deaths++;
        // After the third death it gets the memory of production, as an operator would configure it.
        if (deaths === 3) actor.env = { ...actor.env, NODE_OPTIONS: '' };
        await lab.revive(actor).catch(() => undefined);
      }
    })();
    const names = Array.from({ length: tries(200, 60) }, () => newName());
    for (const name of names) await lab.user().connect(name);
    await lab.untilLive(names, 240_000);
    over.abort();
    await supervisor;
    expect(await lab.stories(names)).toEqual(names.map(() => WHOLE_STORY));
    expect(lab.everythingPrinted()).not.toMatch(/nondeterminis|TMPRL1100/i);
    expect(deaths).toBeGreaterThan(0);
    return `${deaths} deaths with a heap of ${heapMb} MB and 10 cached runs; ${names.length} of ${names.length} live, no contradiction`;
  });
}, 500_000);

/** Starts a worker with the smallest heap with which it starts at all, so that the work exceeds it. */
async function startWithLittleMemory(lab: FaultLab): Promise<{ actor: Actor; heapMb: number }> {
  for (let heapMb = 44; ; heapMb += 6) {
    const env = { NODE_OPTIONS: `--max-old-space-size=${heapMb}`, WORKER_CACHED_WORKFLOWS: '10' };
    const actor = await lab.actor(lab.startWorker, env).catch(() => undefined);
    if (actor !== undefined) return { actor, heapMb };
    if (heapMb > 200) throw new Error('A worker does not start with 200 MB.');
  }
}

test("row 43: a thousand open histories replay on this version's code without a nondeterminism error, and continue", async () => {
  await inLab({ row: 43 }, async (lab) => {
    const open = tries(1_000, 50);
    const waiting = Array.from({ length: open * 0.8 }, () => newName('hand'));
    const going = Array.from({ length: open * 0.2 }, () => newName());
    const names = [...waiting, ...going];
    for (let i = 0; i < names.length; i += 10)
      await Promise.all(names.slice(i, i + 10).map((name) => lab.user().connect(name)));
    await lab.untilLive(going, 600_000); // about four a second, on two cores that run everything
    const [worker] = lab.workers as [Actor];
    await worker.process.stop('SIGKILL');
    const rows = await lab.query<{ id: string; hostname: string }>('SELECT id, hostname FROM connections');
    const histories = async function* () {
      for (const row of rows) {
        const workflowId = connectionWorkflowId(row);
        yield { workflowId, history: await lab.servers.temporalClient.workflow.getHandle(workflowId).fetchHistory() };
      }
    };
    installRuntime(log);
    const bundle = { workflowBundle: { codePath: process.env['TEST_WORKFLOW_BUNDLE']! } };
    let replayed = 0;
    const contradictions: string[] = [];
    for await (const { workflowId, error } of Worker.runReplayHistories(bundle, histories())) {
      replayed++;
      if (error !== undefined) contradictions.push(`${workflowId}: ${error.message}`);
    }
    expect(contradictions).toEqual([]);
    expect(replayed).toBe(open);
    await lab.revive(worker);
    const next = newName();
    await lab.user().connect(next);
    await lab.untilLive([next]);
    return `${replayed} open histories replayed, ${contradictions.length} contradictions`;
  });
}, 1_200_000);

test('row 46: APIs that are replaced one after the other under load fail no request that they accepted', async () => {
  await inLab({ row: 46 }, async (lab) => {
    const seen: Seen = { answered: 0, failed: [], created: [] };
    let isOver = false;
    const client = {
      ports: () => lab.apis.map(({ process }) => process.port),
      caller: lab.tenant.live,
      newHostname: () => `${randomUUID()}.shop-site.com`,
      isOver: () => isOver,
    };
    const clients = Array.from({ length: 12 }, (_, i) => sendRequests(client, seen, i));
    const drains: number[] = [];
    for (let i = 0; i < tries(6, 2); i++) {
      const api = lab.apis[i % 2]!;
      await pause(1_500);
      const began = performance.now();
      expect(await api.process.stop('SIGTERM')).toBe(0);
      drains.push(performance.now() - began);
      await lab.revive(api);
    }
    isOver = true;
    await Promise.all(clients);
    saw(46, `${seen.answered} answers over ${drains.length} restarts, ${seen.failed.length} failed; drained in ${(Math.max(...drains) / 1_000).toFixed(1)} s at most`); // prettier-ignore
    expect(seen.failed).toEqual([]);
    expect(Math.max(...drains)).toBeLessThanOrEqual(10_000);
    return `exit code 0 each time`;
  });
}, 240_000);
