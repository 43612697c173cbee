import type { StackUnderTest } from '@gateway/testing';
import { Redis } from 'ioredis';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Series, Unit } from './verdict.ts';

/** Measured values by series name, at one time. */
export type Reading = ReadonlyMap<string, { readonly unit: Unit; readonly value: number }>;
type Entry = readonly [name: string, unit: Unit, value: number];

const mebibyte = 1024 * 1024;
const databases = ['account', 'vault', 'billing', 'telemetry'] as const;

/**
 * Tables that keep a history of requests or changes by design. The number of their rows grows with the number of
 * requests, until the retention period ends. All other tables must stay at a plateau.
 */
const histories = [
  /^telemetry\.(request_log|request_contents|usage_hours|tool_days)/,
  /^billing\.ledger_entries$/,
  /^account\.(api_keys|audit_events|idempotency_records|conversation_plans)$/,
  /^vault\.credential_audit$/,
  /^redis\.budgets$/,
];
const isHistory = (table: string): boolean => histories.some((pattern) => pattern.test(table));

/** Reads the memory and descriptors of a stack, the sizes of its Redis servers and tables, and its spool. */
export class Probes {
  readonly #stack: StackUnderTest;
  readonly #redis: ReadonlyMap<string, Redis>;
  readonly #clients: ReadonlyMap<string, pg.Client>;

  static async open(stack: StackUnderTest): Promise<Probes> {
    const clients = new Map(databases.map((name) => [name, new pg.Client(stack.dev.postgres[name])]));
    await Promise.all([...clients.values()].map((client) => client.connect()));
    return new Probes(stack, clients);
  }

  private constructor(stack: StackUnderTest, clients: ReadonlyMap<string, pg.Client>) {
    this.#stack = stack;
    this.#clients = clients;
    this.#redis = new Map([
      ['redis', new Redis(stack.dev.redis_url)],
      ['redis-cache', new Redis(stack.dev.redis_cache_url)],
    ]);
  }

  async close(): Promise<void> {
    for (const redis of this.#redis.values()) redis.disconnect();
    await Promise.all([...this.#clients.values()].map((client) => client.end()));
  }

  /** Counts the budgets of API keys. The budget of a revoked key expires after the week. */
  async #countBudgets(): Promise<number> {
    const keys = await this.#redis.get('redis')?.keys('budget:*');
    return keys?.length ?? 0;
  }

  /** Reads the quantities that are cheap to read, which are everything except the tables. */
  async read(): Promise<Reading> {
    const services = Object.entries(this.#stack.dev.services);
    const found = await Promise.all([
      ...services.map(([name, service]) => readProcess(name, service.pid ?? 0, service.metrics_url)),
      ...[...this.#redis].map(([name, redis]) => readRedis(name, redis)),
    ]);
    return toReading([...found.flat(), ...readSpool(this.#stack)]);
  }

  /**
   * Returns the exact number of rows and the size of each table with its indexes. A partition counts as a part of its
   * table.
   */
  async readTables(): Promise<ReadonlyMap<string, TableSize>> {
    const sizes = new Map<string, TableSize>();
    for (const [database, client] of this.#clients) {
      const { rows: tables } = await client.query<{ name: string; bytes: number }>(listTables);
      for (const { name, bytes } of tables) {
        const counted = await client.query<{ n: number }>(
          `SELECT count(*)::float8 AS n FROM ${pg.escapeIdentifier(name)}`,
        );
        sizes.set(`${database}.${name}`, { rows: counted.rows[0]?.n ?? 0, bytes });
      }
    }
    return sizes.set('redis.budgets', { rows: await this.#countBudgets(), bytes: null });
  }
}

export interface TableSize {
  readonly rows: number;
  /** Null if only the number of rows is known. */
  readonly bytes: number | null;
}

/** Lists the tables of a database, with the bytes of all partitions, indexes and large values. */
const listTables = `
  SELECT relname AS name,
    (SELECT sum(pg_total_relation_size(part.relid)) FROM pg_partition_tree(pg_class.oid) AS part)::float8 AS bytes
  FROM pg_class
  WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace
    AND relname <> '_prisma_migrations'`;

/** The tables at the end of one window, and the number of requests that the clients had sent until then. */
export interface TableReading {
  readonly atMs: number;
  readonly requests: number;
  readonly tables: ReadonlyMap<string, TableSize>;
}

/**
 * Converts table sizes to series. For a history, the series are the growth per request in rows and bytes. For any other
 * table, the series is the number of rows.
 */
export function describeTables(readings: readonly TableReading[]): Series[] {
  const names = [...(readings[0]?.tables.keys() ?? [])];
  return names.flatMap((name): Series[] => {
    const sizeOf = ({ tables }: TableReading): TableSize => tables.get(name) ?? { rows: 0, bytes: null };
    if (!isHistory(name)) {
      const samples = readings.map((each) => ({ atMs: each.atMs, value: sizeOf(each).rows }));
      return [{ name: `${name} rows`, unit: 'rows', window: 'median', samples }];
    }
    const perRequest = (field: keyof TableSize) =>
      readings.slice(1).flatMap((each, at) => {
        const before = readings[at]!;
        const requests = each.requests - before.requests;
        if (requests === 0) return [];
        return [
          { atMs: each.atMs, value: ((sizeOf(each)[field] ?? 0) - (sizeOf(before)[field] ?? 0)) / requests },
        ];
      });
    const growth = { unit: 'rows per request', window: 'median', samples: perRequest('rows') } as const;
    const size = { unit: 'bytes per request', window: 'median', samples: perRequest('bytes') } as const;
    const hasSize = readings.every((each) => sizeOf(each).bytes !== null);
    return [{ name: `${name} growth`, ...growth }, ...(hasSize ? [{ name: `${name} size`, ...size }] : [])];
  });
}

const toReading = (entries: readonly Entry[]): Reading =>
  new Map(entries.map(([name, unit, value]) => [name, { unit, value }]));

/** Reads the anonymous memory and the descriptors of a process with its children, and a service's heap. */
async function readProcess(name: string, pid: number, metricsUrl: string | null): Promise<Entry[]> {
  const pids = [pid, ...listChildren(pid)];
  const sum = (read: (each: number) => number): number => pids.reduce((total, each) => total + read(each), 0);
  const own: Entry[] = [
    [`${name} memory`, 'MiB', sum(readAnonymousBytes) / mebibyte],
    [`${name} descriptors`, 'descriptors', sum(countDescriptors)],
  ];
  if (metricsUrl === null) return own;
  const text = await (await fetch(metricsUrl)).text();
  return [...own, [`${name} heap`, 'MiB', readOldSpaceBytes(text) / mebibyte]];
}

/** Objects reach the old space only if they survive two collections, so the old space contains little garbage. */
function readOldSpaceBytes(metrics: string): number {
  return Number(/^nodejs_heap_space_size_used_bytes\{.*space="old".*\} (\S+)$/m.exec(metrics)?.[1] ?? NaN);
}

function listChildren(pid: number): number[] {
  return readText(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Memory that is neither shared nor backed by a file (`RssAnon` in `man 5 proc`). */
function readAnonymousBytes(pid: number): number {
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(readText(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

function countDescriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Returns the text of a file, or an empty text for a process that has exited. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Reads the sizes of a Redis server. Budgets count as a history of API keys, and not as keys. */
async function readRedis(name: string, redis: Redis): Promise<Entry[]> {
  const [info, budgets] = await Promise.all([redis.info(), redis.keys('budget:*')]);
  const read = (pattern: RegExp): number => Number(pattern.exec(info)?.[1] ?? 0);
  const all = read(/^db0:keys=(\d+)/m);
  return [
    [`${name} keys`, 'keys', all - budgets.length],
    [`${name} keys without expiry`, 'keys', all - read(/^db0:.*expires=(\d+)/m)],
    [`${name} data`, 'MiB', read(/^used_memory_dataset:(\d+)/m) / mebibyte],
  ];
}

/** Returns the size of all spool files. */
function readSpool(stack: StackUnderTest): Entry[] {
  const folder = join(stack.dataDir, 'spool');
  const bytes = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .reduce((total, file) => total + sizeOf(join(folder, file)), 0);
  return [['spool size', 'MiB', bytes / mebibyte]];
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
