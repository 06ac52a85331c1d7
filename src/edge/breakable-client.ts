import { Socket } from 'node:net';
import { Client } from 'pg';

const CONNECT_LIMIT_MS = 5_000;

/** A connection whose socket we can destroy. Closing a half-open one gracefully would wait forever. */
export class BreakableClient {
  private readonly socket = new Socket();
  private readonly breaking = new AbortController();
  private lastTurn: Promise<unknown> = Promise.resolve();
  readonly client: Client;

  constructor(databaseUrl: string) {
    this.client = new Client({
      connectionString: databaseUrl,
      stream: () => this.socket,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      query_timeout: CONNECT_LIMIT_MS,
    });
    this.client.on('error', this.fail);
    this.client.on('end', () => this.fail(new Error('The connection to the database ended.')));
  }

  get broken(): AbortSignal {
    return this.breaking.signal;
  }

  /** Marks the connection as broken, and rejects everything that waits for it. */
  readonly fail = (error: unknown): void => {
    this.breaking.abort(error);
    this.socket.destroy();
  };

  /** Runs one statement at a time for all users of the connection. */
  readonly inTurn = <T>(statement: () => Promise<T>): Promise<T> => {
    const result = this.lastTurn.then(statement);
    this.lastTurn = result.catch(() => undefined);
    return result;
  };

  async open(): Promise<this> {
    await this.client.connect();
    return this;
  }

  close(): void {
    this.socket.destroy();
  }
}
