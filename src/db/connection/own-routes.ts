import { z } from 'zod';
import { REDIRECT_STATUSES, type OwnRoute } from '../../domain/edge/own-route.ts';
import { jsonOf, none, sql, type Queryable } from '../pool.ts';

export const StoredRoute = z.object({
  origin_url: z.string().exactOptional(),
  host_header: z.literal('visitor').exactOptional(),
  metadata: z.record(z.string(), z.string()).exactOptional(),
  redirect: z.object({ to: z.string(), status: z.literal(REDIRECT_STATUSES), keep_path: z.boolean() }).exactOptional(),
  hsts_max_age: z.number().exactOptional(),
  maintenance: z.string().exactOptional(),
}) satisfies z.ZodType<OwnRoute>;

/** Saves a connection's own route. A trigger notifies the edges. */
export async function saveRoute(db: Queryable, id: string, route: OwnRoute | null): Promise<void> {
  const value = route === null ? sql.fragment`NULL` : sql.jsonb(jsonOf(route));
  await db.query(sql.type(none)`UPDATE connections SET route = ${value} WHERE id = ${id}`);
}

/** Returns the hostname to which a hostname redirects: by a connection's own redirect, or as a companion. */
export async function nextHop(db: Queryable, hostname: string): Promise<string | undefined> {
  const Hop = z.object({ to: z.string().nullable(), main: z.string().nullable() });
  const hop = await db.maybeOne(sql.type(Hop)`
    SELECT route #>> '{redirect,to}' AS to,
      (SELECT main.hostname FROM connections AS main WHERE main.id = connections.companion_of) AS main
    FROM connections WHERE hostname = ${hostname} AND state <> 'archived'
    ORDER BY (route #>> '{redirect,to}') IS NULL, id DESC LIMIT 1
  `);
  return hop?.to == null ? (hop?.main ?? undefined) : new URL(hop.to).hostname;
}
