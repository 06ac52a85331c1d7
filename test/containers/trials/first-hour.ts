import { waitUntil } from '../../../src/embedded/wait-until.ts';
import { LANGUAGES } from '../../../src/locales/all.ts';
import { codeBlock } from '../../support/code-blocks.ts';
import { ORIGIN_URL } from '../network.ts';
import { expect, type Report } from '../report.ts';
import type { Stranger } from '../stranger.ts';

export const HOSTNAME = 'shop-1.auto.test';
export const VISIT = `curl -s --cacert root.crt --resolve ${HOSTNAME}:443:127.0.0.1 https://${HOSTNAME}/`;
const START = 'docker build';

/** Follows README's part "In production", line by line. */
export async function firstHour(report: Report, stranger: Stranger): Promise<void> {
  const lines = stranger.linesOf('README.md', START);
  for (const line of lines) {
    await report.trial(`\`${line.replace(/ +#.*/, '')}\``, async () => {
      if (!line.startsWith('$EDITOR')) return summaryOf(line, await stranger.types(line), stranger);
      await stranger.edits();
      return 'EDGE=internal, and addresses of the trial';
    });
  }
  await report.trial('A sandbox domain becomes live', async () => {
    const [post = ''] = stranger.linesOf('README.md', 'curl -sX POST');
    await stranger.types(`${post} > created.json`);
    const { id = '' } = JSON.parse(await stranger.readsFile('created.json')) as { id?: string };
    stranger.shell['CONNECTION'] = id;
    return untilLive(stranger, id);
  });
  await report.trial('The edge serves it with a certificate', async () => {
    const [, ...others] = codeBlock('README.md', 'curl -sX POST')
      .code.trim()
      .split(/(?<!\\)\n/);
    const page = await stranger.types(others.join('\n'));
    expect(page.includes(LANGUAGES.en.edge.noOrigin.title), `Another page: ${page.slice(0, 200)}`);
    return 'the page of a site without a server';
  });
  await report.trial('The edge passes requests to the origin', async () => {
    await stranger.calls('PATCH', `/applications/${stranger.shell['TEST_APPLICATION']}`, {
      origin_url: ORIGIN_URL,
    });
    let page = '';
    const isThere = await waitUntil(async () => {
      page = await stranger.types(VISIT);
      return page.startsWith('origin of');
    }, 20_000);
    expect(isThere, `Another page: ${page.slice(0, 200)}`);
    return page;
  });
}

/** Keeps what later lines need, and returns what the table shows of a command's output. */
function summaryOf(line: string, output: string, stranger: Stranger): string {
  if (!line.includes('tenant create')) return output.split('\n').at(-1)?.trim() || 'done';
  const value = (label: string) => new RegExp(`${label} +(\\S+)`).exec(output)?.[1] ?? '';
  stranger.shell['TEST_KEY'] = value('Test key');
  stranger.shell['TEST_APPLICATION'] = value('Test application');
  stranger.shell['LIVE_KEY'] = value('Live key');
  return 'two applications and two keys';
}

/** Waits until a connection is live, and returns its state. */
export async function untilLive(stranger: Stranger, id: string): Promise<string> {
  let state: string | undefined;
  const isLive = await waitUntil(async () => {
    ({ state } = await stranger.calls('GET', `/connections/${id}`));
    return state === 'live';
  }, 120_000);
  expect(isLive, `The connection is ${state}.`);
  return 'live';
}
