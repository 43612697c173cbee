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

/**
 * The SQL migrations of Prisma, oldest first. Prisma orders migrations by their names, which start with a
 * timestamp.
 */
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
 * Applies missing migrations with Prisma's engine and records them in `_prisma_migrations`, like `prisma
 * migrate deploy`. Returns the names of the applied migrations. Throws if a migration fails, if an applied
 * migration was modified, or if an earlier failure is unresolved.
 * @param prismaDir `prisma/<owner>`, which contains schema.prisma and migrations/
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
