import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { observedFile, observedKinds, type StackUnderTest } from '@gateway/testing';
import { Redis } from 'ioredis';
import pg from 'pg';

/** A place that must not contain secrets, such as a log or a database of the test stack. */
export interface Sink {
  readonly name: string;
  /** Returns the stored bytes in chunks that can be searched separately. */
  read(): AsyncIterable<Buffer> | Iterable<Buffer>;
}

/**
 * The files that may contain secrets. The files with secrets are readable only by their owner. Some of the
 * files are written by the tests.
 */
const privateFiles = /^(secrets\.json|dev\.json|observed\/|run\/state\.json)/;
/** Postgres's template databases, which never receive data. */
const emptyFiles = /^postgres\/base\/[145]\//;
const scanCount = 500;

/** Returns every file, database and log that the stack writes to, including the output of all processes. */
export function listSinks(stack: StackUnderTest): Sink[] {
  return [
    ...Object.keys(stack.dev.services).map((name) => ({
      name: `log of ${name}`,
      read: () => [Buffer.from(stack.logs(name))],
    })),
    ...observedKinds.map((kind) => ({
      name: kind,
      read: () => readWhole(observedFile(stack.dataDir, kind)),
    })),
    { name: 'metrics', read: () => readMetrics(stack) },
    { name: 'redis', read: () => readRedis(stack.dev.redis_url) },
    { name: 'redis-cache', read: () => readRedis(stack.dev.redis_cache_url) },
    ...(['account', 'vault', 'billing', 'telemetry'] as const).map((name) => ({
      name: `postgres ${name}`,
      read: () => readPostgres(stack.dev.postgres[name]),
    })),
    { name: 'files', read: () => readFiles(stack.dataDir) },
  ];
}

function* readWhole(file: string): Iterable<Buffer> {
  yield statSync(file, { throwIfNoEntry: false }) ? readFileSync(file) : Buffer.alloc(0);
}

async function* readMetrics(stack: StackUnderTest): AsyncIterable<Buffer> {
  for (const { metrics_url: url } of Object.values(stack.dev.services)) {
    if (url === null) continue;
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url} returned status ${answer.status}`);
    yield Buffer.from(await answer.arrayBuffer());
  }
}

/** Returns every Redis key and value, including BullMQ jobs. */
async function* readRedis(url: string): AsyncIterable<Buffer> {
  const redis = new Redis(url);
  try {
    let cursor = '0';
    do {
      const [next, keys] = await redis.scan(cursor, 'COUNT', String(scanCount));
      cursor = next;
      for (const key of keys) yield Buffer.from(`${key} ${JSON.stringify(await readValue(redis, key))}`);
    } while (cursor !== '0');
  } finally {
    redis.disconnect();
  }
}

async function readValue(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key);
  switch (type) {
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1');
    case 'stream':
      return redis.xrange(key, '-', '+');
    case 'none':
      return null;
    default:
      throw new Error(`unsupported Redis value type: ${type}`);
  }
}

async function* readPostgres(url: string): AsyncIterable<Buffer> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM "${name}" t`);
      yield Buffer.from(rows.map(({ row }) => row).join('\n'));
    }
  } finally {
    await client.end();
  }
}

/**
 * Returns the contents of all files in the stack's folder. The folder contains spools, Redis's append-only
 * file, Postgres tables and the write-ahead log.
 */
function* readFiles(dataDir: string): Iterable<Buffer> {
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const name = relative(dataDir, file);
    if (!entry.isFile() || privateFiles.test(name) || emptyFiles.test(name)) continue;
    const bytes = readIfThere(file);
    if (bytes) yield bytes;
  }
}

/**
 * Returns the file's contents. Returns undefined for a missing file, because servers may delete files during
 * the search.
 */
function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    // The error is not an instance of this realm's Error class, because Jest runs tests in a separate realm.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
