import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Client } from 'pg';
import { followChanges, type ChangeFollower } from './change-listener.ts';

interface Opened {
  client: Client;
  epoch: string;
}

/** A connection that listens, with the copies that use it. */
interface Session {
  members: Set<ChangeFollower>;
  /** Members whose `begin` has ended. Others do not take part in renewals. */
  begun: Set<ChangeFollower>;
  opened: Promise<Opened>;
  ended: Promise<void>;
  stop: AbortController;
}

/**
 * Follows the changes of the admissions once for all copies of a process. They share a connection and a lease, so each
 * change is read once, and acknowledged once when every copy uses it. If the connection fails, it fails for all of them.
 */
export class SharedChanges {
  private readonly databaseUrl: string;
  private session: Session | undefined;

  constructor(databaseUrl: string) {
    this.databaseUrl = databaseUrl;
  }

  /** Follows the changes until stopped. Throws if the connection or this follower fails. */
  async follow(follower: ChangeFollower, stop: AbortSignal): Promise<void> {
    if (stop.aborted) return;
    const session = (this.session ??= this.open());
    session.members.add(follower); // before anything is read, so that no change is missed
    const failed = Promise.withResolvers<never>();
    const left = new AbortController();
    const stopped = once(stop, 'abort', { signal: left.signal });
    const begin = async (): Promise<void> => {
      const { client, epoch } = await session.opened;
      await follower.begin?.(client, failed.reject, epoch);
      session.begun.add(follower);
      await stopped;
    };
    try {
      await Promise.race([begin(), stopped, failed.promise, session.ended]);
    } finally {
      left.abort();
      await this.leave(session, follower);
    }
  }

  private async leave(session: Session, follower: ChangeFollower): Promise<void> {
    session.members.delete(follower);
    session.begun.delete(follower);
    if (session.members.size > 0) return;
    if (this.session === session) this.session = undefined;
    session.stop.abort();
    await session.ended;
  }

  private open(): Session {
    const opened = Promise.withResolvers<Opened>();
    const [members, begun] = [new Set<ChangeFollower>(), new Set<ChangeFollower>()];
    const [stop, epoch] = [new AbortController(), randomUUID()];
    const shared: ChangeFollower = {
      begin(client) {
        opened.resolve({ client, epoch });
        return Promise.resolve();
      },
      async take(client, changes) {
        const taken = await Promise.all([...members].map((member) => member.take(client, changes)));
        return { delivered: Promise.all(taken.map(({ delivered = Promise.resolve() }) => delivered)) };
      },
      marked(marker) {
        for (const member of members) member.marked?.(marker);
      },
      async alsoRenew(client) {
        for (const member of begun) await member.alsoRenew?.(client);
      },
      renewed(until) {
        for (const member of begun) member.renewed(until);
      },
    };
    const session: Session = {
      members,
      begun,
      stop,
      opened: opened.promise,
      ended: followChanges(this.databaseUrl, epoch, shared, stop.signal),
    };
    opened.promise.catch(() => undefined);
    void session.ended.catch(opened.reject).finally(() => {
      if (this.session === session) this.session = undefined;
    });
    return session;
  }
}
