import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startStack } from '@gateway/testing';
import pg from 'pg';
import { withSchemaEngine } from '../../../tools/migrate/schema-engine.ts';
import { undoAll, type Stack, type Undo } from '../stack.fixture.ts';

const prismaDir = resolve(import.meta.dirname, '../../../prisma');

/**
 * An SQL query for the columns, indexes and foreign keys of a database. Prisma's schema language has no check
 * constraints, so the query omits check constraints.
 */
const catalogue = `
  SELECT format('column %s.%s %s null=%s default=%s', table_name, column_name,
                format_type(a.atttypid, a.atttypmod), is_nullable, column_default) AS line
  FROM information_schema.columns c
  JOIN pg_attribute a ON a.attrelid = c.table_name::regclass AND a.attname = c.column_name
  WHERE table_schema = 'public' AND table_name <> '_prisma_migrations'
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'
  UNION ALL SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f'
  ORDER BY line`;

describe('the migrations', () => {
  let stack: Stack;
  const undo: Undo[] = [];

  beforeAll(async () => {
    stack = await startStack({ apps: [] });
    undo.push(() => stack.stop());
  }, 180_000);

  afterAll(() => undoAll(undo), 120_000);

  async function query(url: string, sql: string): Promise<{ line: string }[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<{ line: string }>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Returns the SQL that Prisma would use to create the database schema. */
  async function renderSchemaSql(owner: string, url: string): Promise<string> {
    const path = resolve(prismaDir, owner, 'schema.prisma');
    const text = readFileSync(path, 'utf8');
    const { stdout } = await withSchemaEngine(url, { path, text }, (engine) =>
      engine.diff({
        from: { tag: 'empty' },
        to: { tag: 'schemaDatamodel', files: [{ path, content: text }] },
        script: true,
        exitCode: null,
        filters: { externalTables: [], externalEnums: [] },
      }),
    );
    return stdout ?? '';
  }

  it.each(['account', 'vault', 'billing'] as const)(
    'the migrations for %s create the database that the Prisma schema describes',
    async (owner) => {
      const migratedUrl = stack.dev.postgres[owner];
      const adminUrl = stack.dev.postgres.admin ?? '';
      await query(adminUrl, `CREATE DATABASE "${owner}_described"`);
      const describedUrl = new URL(adminUrl);
      describedUrl.pathname = `/${owner}_described`;
      await query(describedUrl.href, await renderSchemaSql(owner, migratedUrl));
      const described = await query(describedUrl.href, catalogue);
      expect(described.length).toBeGreaterThan(10);
      expect(await query(migratedUrl, catalogue)).toEqual(described);
    },
  );
});
