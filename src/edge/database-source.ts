import { Pool as PgPool, type Client } from 'pg';
import { readAdmittance, readAdmissions } from '../db/edge/admissions.ts';
import { recordHeard, registerEdge, type Edge } from '../db/edge/edges.ts';
import type { AdmissionChange, Admittance } from '../domain/edge/admission.ts';
import { CannotTell, type AdmissionSource, type FollowedCopy } from './admission.ts';
import { BreakableClient } from './breakable-client.ts';
import { SharedChanges } from './shared-changes.ts';

const LOOKUP_LIMIT_MS = 1_000;

/** Prepares a copy for changes, on the connection that read them. */
export interface ChangeKeys {
  /** Called for each new connection. */
  bind(client: Client): Promise<void>;
  /** Called before changes are applied: fetches the keys that they name. */
  fetch(client: Client, changes: readonly AdmissionChange[]): Promise<void>;
  /** Called after changes were applied. */
  applied(): void;
}

interface Options {
  /** Answers while the copy is not trusted. Default: the database. */
  otherwise?: (hostname: string) => Admittance | Promise<Admittance>;
  /** The edge that owns the copy; undefined in an API process. */
  edge?: Edge;
  keys?: ChangeKeys;
  /** The changes that another copy of the process follows too. */
  changes?: SharedChanges;
}

/** Follows the admissions in the database, by notifications. */
export class DatabaseSource implements AdmissionSource {
  private readonly databaseUrl: string;
  private readonly options: Options;
  private readonly changes: SharedChanges;
  private readonly pool: PgPool;

  constructor(databaseUrl: string, options: Options = {}) {
    this.databaseUrl = databaseUrl;
    this.options = options;
    this.changes = options.changes ?? new SharedChanges(databaseUrl);
    const limits = { connectionTimeoutMillis: LOOKUP_LIMIT_MS, query_timeout: LOOKUP_LIMIT_MS };
    this.pool = new PgPool({ connectionString: databaseUrl, max: 4, ...limits });
    this.pool.on('error', () => undefined); // an idle connection broke; the next query opens another
  }

  /** Listens, takes a lease, loads the table, and only then trusts it. In this order no committed change is missed. */
  async follow(copy: FollowedCopy, stop: AbortSignal): Promise<void> {
    const { edge, keys } = this.options;
    const loading = new BreakableClient(this.databaseUrl);
    const take = async (reader: Client, changes: readonly AdmissionChange[]): Promise<void> => {
      await keys?.fetch(reader, changes);
      await copy.take(changes);
      keys?.applied();
    };
    let isLoaded = false;
    const load = async (): Promise<void> => {
      const { client } = await loading.open();
      await readAdmissions(client, (changes) => take(client, changes));
      loading.close();
      await copy.loaded();
      isLoaded = true;
    };
    try {
      await this.changes.follow(
        {
          async begin(client, fail, epoch) {
            if (edge !== undefined) await registerEdge(client, edge, epoch);
            await keys?.bind(client);
            load().catch(fail);
          },
          async take(client, changes) {
            await take(client, changes);
            copy.notify(changes);
            return {};
          },
          ...(edge === undefined ? {} : { alsoRenew: (client: Client) => recordHeard(client, edge) }),
          renewed(until) {
            if (isLoaded) copy.trust(until);
          },
        },
        stop,
      );
    } finally {
      copy.distrust();
      loading.close();
    }
  }

  lookup(hostname: string): Admittance | Promise<Admittance> {
    return this.options.otherwise?.(hostname) ?? this.read(hostname);
  }

  stop(): Promise<void> {
    return this.pool.end();
  }

  private async read(hostname: string): Promise<Admittance> {
    try {
      return await readAdmittance(this.pool, hostname);
    } catch (error) {
      throw new CannotTell('The database does not answer.', { cause: error });
    }
  }
}
