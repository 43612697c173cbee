import pg from 'pg';

/** The owner of a database. The Postgres role has the owner's name. */
export const databaseOwners = ['account', 'vault', 'billing', 'telemetry'] as const;
export type DatabaseOwner = (typeof databaseOwners)[number];

export function renderPostgresUrl(port: number, user: string, password: string, database: string): string {
  return `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`;
}

/**
 * Returns SQL statements that create an owner's role and database. Only a database administrator can run the
 * statements. Repeated runs have no further effect.
 */
async function createDatabase(client: pg.Client, owner: string, password: string): Promise<void> {
  const role = pg.escapeIdentifier(owner);
  const found = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [owner]);
  const verb = found.rowCount === 0 ? 'CREATE' : 'ALTER';
  await client.query(
    `${verb} ROLE ${role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD ${pg.escapeLiteral(password)}`,
  );
  const databases = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [owner]);
  if (databases.rowCount === 0) await client.query(`CREATE DATABASE ${role} OWNER ${role}`);
  await client.query(`REVOKE ALL ON DATABASE ${role} FROM PUBLIC`);
}

/**
 * Creates a database and a role for each owner. A role can open only its own database. The function revokes
 * PUBLIC's default right to connect to every database.
 */
export async function createDatabases(
  adminUrl: string,
  passwords: Readonly<Record<string, string>>,
  owners: readonly string[] = databaseOwners,
): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    for (const database of ['postgres', 'template1']) {
      await client.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC`);
    }
    for (const owner of owners) {
      const password = passwords[owner];
      if (!password) throw new Error(`The role ${owner} has no password.`);
      await createDatabase(client, owner, password);
    }
  } finally {
    await client.end();
  }
}
