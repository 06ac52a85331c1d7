import { Client } from 'pg';
import type { Logger } from 'pino';

/**
 * Listens on a connection of its own and reconnects. Notifications get lost meanwhile: never rely on them. Calls `heard`
 * with each payload, and with an empty one after it has connected.
 */
export function listen(
  databaseUrl: string,
  channel: string,
  heard: (payload: string) => void,
  log: Logger,
): { close(): Promise<void> } {
  let closed = false;
  let client: Client | undefined;
  let retry: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    const next = new Client({ connectionString: databaseUrl, keepAlive: true, connectionTimeoutMillis: 5_000 });
    client = next;
    next.on('notification', ({ payload }) => heard(payload ?? ''));
    next.on('error', () => undefined); // 'end' follows, and its handler reconnects
    next.on('end', again);
    await next.connect();
    await next.query(`LISTEN "${channel}"`);
    heard('');
  };
  const again = (): void => {
    if (closed) return;
    clearTimeout(retry);
    retry = setTimeout(() => void connect().catch(failed), 1_000);
  };
  const failed = (error: unknown): void => {
    log.warn({ err: error, channel }, 'Cannot listen to the database; trying again.');
    again();
  };
  void connect().catch(failed);

  return {
    async close() {
      closed = true;
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}
