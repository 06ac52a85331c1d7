/** Error codes of drivers and Postgres for an unusable database, and what to do about each. */
const PROBLEMS: Record<string, string> = {
  ECONNREFUSED: 'Nothing listens at the address in DATABASE_URL. Start the database there, or correct the URL.',
  ENOTFOUND: 'The host in DATABASE_URL does not exist. Correct the URL.',
  EAI_AGAIN: 'The host in DATABASE_URL cannot be resolved at the moment. Correct the URL, or try again.',
  ETIMEDOUT: 'The database in DATABASE_URL does not answer. Check the address and the network.',
  '28P01': 'The database refuses the user or password in DATABASE_URL. Correct them.',
  '28000': 'The database refuses the user in DATABASE_URL. Correct it, or allow it in pg_hba.conf.',
  '3D000': 'The database named in DATABASE_URL does not exist. Create it, or correct the name.',
  '42501': 'The user in DATABASE_URL may not create tables or roles. Grant it CREATE on the database and CREATEROLE.',
};

export function isDatabaseProblem(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const causes = cause instanceof AggregateError ? [cause, ...(cause.errors as unknown[])] : [cause];
    for (const one of causes) {
      const code = one instanceof Error && 'code' in one ? String(one.code) : '';
      if (Object.hasOwn(PROBLEMS, code)) return PROBLEMS[code];
    }
  }
  return undefined;
}
