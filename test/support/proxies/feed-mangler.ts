import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createGunzip, gzipSync } from 'node:zlib';
import { linesIn } from '../../../src/edge/feed/lines.ts';

/** Ways to change a stream. Either changes a part of the lines, at random. */
type Mangling = 'none' | 'duplicate' | 'swap';

/** A proxy between an agent and its feed that sends lines twice, or exchanges neighbouring lines. */
export interface FeedMangler {
  url: string;
  mangling: Mangling;
  /** Number of lines that were changed, and of streams that agents have opened. */
  counts: { mangled: number; streams: number };
  stop(): Promise<void>;
}

const SHARE = 0.3;
const LATE_MS = 100;

export async function startFeedMangler(target: string, random: () => number): Promise<FeedMangler> {
  const counts = { mangled: 0, streams: 0 };
  const isChosen = (mangling: Mangling): boolean => {
    const chosen = mangler.mangling === mangling && random() < SHARE;
    if (chosen) counts.mangled++;
    return chosen;
  };

  /** Sends each line of the feed as a gzip file of its own, in the changed order. */
  async function mangle(answer: IncomingMessage, response: ServerResponse): Promise<void> {
    let held: string | undefined;
    const send = (line: string) => response.write(gzipSync(`${line}\n`));
    for await (const lines of linesIn(answer.pipe(createGunzip())))
      for (const line of lines) {
        if (held === undefined && isChosen('swap')) {
          held = line; // until the next line was sent
          continue;
        }
        send(line);
        if (isChosen('duplicate')) send(line);
        if (held === undefined) continue;
        await pause(LATE_MS); // long enough to see what the agent makes of the other line
        send(held);
        held = undefined;
      }
    response.end();
  }

  const server = createServer((request, response) => {
    const { method, headers, url } = request;
    const passed = httpRequest(new URL(url ?? '', target), { method: method!, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.on('error', () => response.destroy());
      if (!(url ?? '').startsWith('/edge/feed')) {
        answer.pipe(response);
        return;
      }
      counts.streams++;
      mangle(answer, response).catch(() => response.destroy());
    });
    passed.flushHeaders();
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  server.requestTimeout = 0;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const mangler: FeedMangler = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mangling: 'none',
    counts,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return mangler;
}
