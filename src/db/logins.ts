import pg from 'pg';

/** The halves of the service that log in by themselves, and the roles that each works with. */
const ROLES_OF = {
  // Row-level security binds it also after RESET ROLE: nothing that it inherits sees another tenant's rows.
  api: ['svc_api', 'svc_edge'],
  worker: ['svc_worker', 'svc_api'],
} as const;

export type Half = keyof typeof ROLES_OF;

/** A login that would not be bound by what its role allows; told to the operator in one sentence. */
export class LoginTooPowerful extends Error {
  override readonly name = 'StartError';
}

const KNOWN = 'SELECT rolsuper OR rolbypassrls AS unbound FROM pg_roles WHERE rolname = $1';
const OWNS = `SELECT EXISTS (
  SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relowner = (SELECT oid FROM pg_roles WHERE rolname = $1)
) AS owns`;

/**
 * Makes the login that an address names, or gives it the address's password, and grants it the roles of its half. Needs a
 * migrated database, whose migrations made the roles, and the login that owns it.
 */
export async function ensureLogin(ownerUrl: string, half: Half, loginUrl: string): Promise<void> {
  const { username, password } = new URL(loginUrl);
  const [name, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const [known] = (await client.query<{ unbound: boolean }>(KNOWN, [name])).rows;
    const [{ owns } = { owns: false }] = (await client.query<{ owns: boolean }>(OWNS, [name])).rows;
    if (owns || known?.unbound === true)
      throw new LoginTooPowerful(
        `The login ${name} of the ${half} owns tables or may bypass row-level security. Name another one, which is then made.`,
      );
    const role = client.escapeIdentifier(name);
    await client.query(
      `${known === undefined ? 'CREATE' : 'ALTER'} ROLE ${role} LOGIN PASSWORD ${client.escapeLiteral(secret)}`,
    );
    await client.query(`GRANT ${ROLES_OF[half].join(', ')} TO ${role}`);
  } finally {
    await client.end();
  }
}
