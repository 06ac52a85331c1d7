import pg from 'pg';

/** The processes that log in separately, and the roles of each. */
const ROLES_OF = {
  // Row-level security still applies after RESET ROLE, because no inherited role sees another tenant's rows.
  api: ['svc_api', 'svc_edge'],
  worker: ['svc_worker', 'svc_api'],
} as const;

export type Half = keyof typeof ROLES_OF;

/** A login that its role would not restrict. Operators see the message. */
export class LoginTooPowerful extends Error {
  override readonly name = 'StartError';
}

const KNOWN = 'SELECT rolsuper OR rolbypassrls AS unbound FROM pg_roles WHERE rolname = $1';
const OWNS = `SELECT EXISTS (
  SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relowner = (SELECT oid FROM pg_roles WHERE rolname = $1)
) AS owns`;

/** Creates a login or updates its password, and grants its roles, which migrations create. */
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
