import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import { connectToPrimary } from '../../libs/persistence/src/primary.ts';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import type * as EngineModule from '@prisma/schema-engine-wasm/schema_engine_bg';

/**
 * The members of the global WebAssembly object that this file uses. TypeScript declares the global
 * WebAssembly object only for browsers.
 */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

const engineDir = dirname(
  createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg'),
);

let loading: Promise<typeof EngineModule> | undefined;

/** Loads Prisma's schema engine as WebAssembly. The native engine would require a download. */
async function loadEngineModule(): Promise<typeof EngineModule> {
  const engine = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = await readFile(join(engineDir, 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, {
    './schema_engine_bg.js': engine,
  });
  engine.__wbg_set_wasm(instance.exports);
  (instance.exports['__wbindgen_start'] as () => void)();
  return engine;
}

/**
 * Sends each SQL script to Postgres as a single query without parameters. Postgres itself splits such a query
 * into statements, and runs either the whole script or nothing. Prisma's adapter splits SQL scripts at every
 * semicolon, even inside functions, and runs the pieces one by one.
 */
class WholeScripts extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    adapter.executeScript = async (sql) => {
      await adapter.executeRaw({ sql, args: [], argTypes: [] });
    };
    return adapter;
  }
}

/**
 * Runs `work` with a schema engine that is connected to the database at `url`. `schema` is the content of
 * schema.prisma.
 */
export async function withSchemaEngine<T>(
  url: string,
  schema: { readonly path: string; readonly text: string },
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  loading ??= loadEngineModule();
  const { SchemaEngine: Engine } = await loading;
  const factory = bindMigrationAwareSqlAdapterFactory(new WholeScripts({ ...connectToPrimary(url), max: 1 }));
  const engine = await Engine.new({ datamodels: [[schema.path, schema.text]] }, () => undefined, factory);
  try {
    return await work(engine);
  } finally {
    engine.free();
  }
}
