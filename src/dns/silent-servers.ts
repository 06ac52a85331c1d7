import { BoundedMap } from '../net/bounded-map.ts';

/**
 * Remembers which name servers do not answer, so that checks of many names do not all wait for a dead one. Silent
 * servers are still tried, a few questions at a time and with growing pauses for each zone. Some servers drop questions
 * about zones that they do not serve, so a zone with a recent answer is always tried.
 */
export interface SilentServers {
  /** Returns undefined if the server is not to be asked now, or a function that reports whether it answered. */
  begin(address: string, zone: string): ((answered: boolean) => void) | undefined;
}

const UNANSWERED_TO_BE_SILENT = 3;
const TRIES_IN_FLIGHT = 4;
const FIRST_PAUSE_MS = 20_000;
const LONGEST_PAUSE_MS = 160_000;
const ANSWERED_LATELY_MS = 600_000;
const MAX_ENTRIES = 10_000;

interface Server {
  unanswered: number;
  tries: number;
}

interface ZoneAtServer {
  answeredAt: number;
  pauseMs: number;
  pausedUntil: number;
}

export function createSilentServers(now: () => number = () => performance.now()): SilentServers {
  const servers = new BoundedMap<string, Server>(MAX_ENTRIES);
  const zones = new BoundedMap<string, ZoneAtServer>(MAX_ENTRIES);

  function settle(address: string, key: string, server: Server, answered: boolean): void {
    if (answered) {
      servers.delete(address);
      zones.set(key, { answeredAt: now(), pauseMs: 0, pausedUntil: 0 });
      return;
    }
    server.unanswered += 1;
    servers.set(address, server);
    if (server.unanswered < UNANSWERED_TO_BE_SILENT) return;
    const before = zones.get(key);
    const pauseMs = Math.min((before?.pauseMs ?? 0) * 2 || FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    zones.set(key, { answeredAt: before?.answeredAt ?? -Infinity, pauseMs, pausedUntil: now() + pauseMs });
  }

  return {
    begin(address, zone) {
      const key = `${address} ${zone}`;
      const server = servers.get(address) ?? { unanswered: 0, tries: 0 };
      const known = zones.get(key);
      const isSilent = server.unanswered >= UNANSWERED_TO_BE_SILENT;
      const hasAnswered = known !== undefined && now() - known.answeredAt < ANSWERED_LATELY_MS;
      if (!isSilent || hasAnswered) return (answered) => settle(address, key, server, answered);
      if (now() < (known?.pausedUntil ?? 0) || server.tries >= TRIES_IN_FLIGHT) return undefined;
      server.tries += 1;
      return (answered) => {
        server.tries -= 1;
        settle(address, key, server, answered);
      };
    },
  };
}
