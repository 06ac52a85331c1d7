import { z } from 'zod';
import { DC_ERRORS, type DcError, type DcOffer } from '../../domain/zone/domain-connect.ts';
import { none, sql, type Queryable } from '../pool.ts';
import { ApplicationRow } from '../tenant/applications.ts';

const StoredTemplate = ApplicationRow.shape.record_template;

/** A DNS provider's offer to set up a zone by Domain Connect. `services` are our templates that the provider knows. */
export const StoredOffer = z.object({
  zone: z.string(),
  provider_id: z.string(),
  provider_name: z.string(),
  url_sync_ux: z.string(),
  services: z.array(z.string()),
  /** The template of the connection's application, as it is now. */
  record_template: StoredTemplate,
});

export type StoredOffer = z.infer<typeof StoredOffer>;

/** The customer's return from the provider's consent page, with the provider's error if there was one. */
export const StoredReturn = z.object({ at: z.coerce.date(), error: z.enum(DC_ERRORS).nullable() });

interface Connection {
  id: string;
  tenant_id: string;
}

/** Returns the template of the connection's application, and the kind of the hostname. */
export const templateOf = (db: Queryable, { id }: Pick<Connection, 'id'>) =>
  db.one(sql.type(z.object({ record_template: StoredTemplate, kind: z.enum(['apex', 'subdomain']) }))`
    SELECT record_template, kind FROM connections JOIN applications ON applications.id = connections.application_id
    WHERE connections.id = ${id}
  `);

/** Saves the offer of the zone's provider; null deletes the saved offer. */
export async function keepOffer(
  db: Queryable,
  { id, tenant_id }: Connection,
  offer: Omit<DcOffer, 'control_panel_url'> | null,
  now: Date,
) {
  if (offer === null) {
    await db.query(sql.type(none)`DELETE FROM domain_connect_offers WHERE connection_id = ${id}`);
    return;
  }
  await db.query(sql.type(none)`
    INSERT INTO domain_connect_offers (
      connection_id, tenant_id, zone, provider_id, provider_name, url_sync_ux, services, looked_at)
    VALUES (${id}, ${tenant_id}, ${offer.zone}, ${offer.provider_id}, ${offer.provider_name}, ${offer.url_sync_ux},
            ${sql.array([...offer.services], 'text')}, ${sql.timestamp(now)})
    ON CONFLICT (connection_id) DO UPDATE SET
      zone = excluded.zone, provider_id = excluded.provider_id, provider_name = excluded.provider_name,
      url_sync_ux = excluded.url_sync_ux, services = excluded.services, looked_at = excluded.looked_at
  `);
}

/** Shows the setup as automatic, because the provider adds the records. A refused write stays visible as manual. */
export async function markAutomatic(db: Queryable, { id }: Connection): Promise<void> {
  await db.query(sql.type(none)`
    UPDATE connections SET setup_type = 'automatic'
    WHERE id = ${id} AND setup_type = 'manual' AND credential_id IS NULL
  `);
}

/** Whether the customer last came back from the provider's consent page without an error. */
export const hasConsented = (db: Queryable, { id }: Connection): Promise<boolean> =>
  db.exists(sql.type(none)`SELECT FROM domain_connect_returns WHERE connection_id = ${id} AND error IS NULL`);

/** Records that the provider redirected the customer to us, with or without an error. */
export async function saveReturn(db: Queryable, { id, tenant_id }: Connection, error: DcError | null, now: Date) {
  await db.query(sql.type(none)`
    INSERT INTO domain_connect_returns (connection_id, tenant_id, at, error)
    VALUES (${id}, ${tenant_id}, ${sql.timestamp(now)}, ${error})
    ON CONFLICT (connection_id) DO UPDATE SET at = excluded.at, error = excluded.error
  `);
}
