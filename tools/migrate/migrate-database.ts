import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MigrationDirectory, MigrationList } from '@prisma/schema-engine-wasm';
import { withSchemaEngine } from './schema-engine.ts';

const LOCK_FILE = 'migration_lock.toml';

function readMigration(baseDir: string, name: string): MigrationDirectory {
  return {
    path: name,
    migrationFile: {
      path: 'migration.sql',
      content: { tag: 'ok', value: readFileSync(join(baseDir, name, 'migration.sql'), 'utf8') },
    },
  };
}

/** Ordinary Prisma migrations, oldest first: Prisma orders them by name, which begins with a time. */
function readMigrations(baseDir: string): MigrationList {
  const lockFile = join(baseDir, LOCK_FILE);
  const names = readdirSync(baseDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(baseDir, entry.name, 'migration.sql')))
    .map((entry) => entry.name)
    .sort();
  return {
    baseDir,
    lockfile: {
      path: LOCK_FILE,
      content: existsSync(lockFile) ? readFileSync(lockFile, 'utf8') : null,
    },
    shadowDbInitScript: '',
    migrationDirectories: names.map((name) => readMigration(baseDir, name)),
  };
}

/**
 * Applies the migrations that a database does not have yet, as `prisma migrate deploy` does: with the same engine, and
 * with the same record in `_prisma_migrations`. Answers the names of those applied now. Throws when one fails, when one
 * that was applied has since been changed, and when an earlier failure was not resolved.
 * @param prismaDir `prisma/<owner>`: schema.prisma and migrations/.
 */
export async function migrateDatabase(prismaDir: string, url: string): Promise<string[]> {
  const migrationsDir = join(prismaDir, 'migrations');
  if (!existsSync(migrationsDir)) return [];
  const schemaFile = join(prismaDir, 'schema.prisma');
  const schema = { path: schemaFile, text: readFileSync(schemaFile, 'utf8') };
  const migrationsList = readMigrations(migrationsDir);
  return withSchemaEngine(url, schema, async (engine) => {
    const filters = { externalTables: [], externalEnums: [] };
    const history = await engine.diagnoseMigrationHistory({
      migrationsList,
      optInToShadowDatabase: false,
      filters,
    });
    if (history.editedMigrationNames.length > 0) {
      throw new Error(
        `Migrations were changed after they had been applied: ${history.editedMigrationNames.join(', ')}`,
      );
    }
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters });
    return appliedMigrationNames;
  });
}
