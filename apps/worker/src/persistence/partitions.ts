import type { TelemetryDatabase } from './telemetry-database.ts';

/**
 * One month of the request log in UTC, from its first instant (inclusive) to the first instant of the next
 * month (exclusive).
 */
interface MonthPartition {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Id of the lock that prevents two workers from creating the same partition. The lock id can be any number
 * that is unique in this database.
 */
const partitionLock = 0x72_65_71_6c;

export function choosePartition(timeMs: number): MonthPartition {
  const time = new Date(timeMs);
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()];
  const name = `request_log_${year}_${String(month + 1).padStart(2, '0')}`;
  return {
    name,
    from: new Date(Date.UTC(year, month)).toISOString(),
    to: new Date(Date.UTC(year, month + 1)).toISOString(),
  };
}

/** Creates partitions of the request log on demand, and caches the names of the partitions. */
export class Partitions {
  readonly #database: TelemetryDatabase;
  readonly #known = new Set<string>();

  constructor(database: TelemetryDatabase) {
    this.#database = database;
  }

  /** Resolves when a partition exists for every given time. */
  async ensure(timesMs: Iterable<number>): Promise<void> {
    const missing = new Map<string, MonthPartition>();
    // The events of a batch usually belong to one month, so the partition is looked up once per batch.
    let [from, to] = [Infinity, -Infinity];
    for (const timeMs of timesMs) {
      if (timeMs >= from && timeMs < to) continue;
      const partition = choosePartition(timeMs);
      [from, to] = [Date.parse(partition.from), Date.parse(partition.to)];
      if (!this.#known.has(partition.name)) missing.set(partition.name, partition);
    }
    for (const partition of missing.values()) await this.#create(partition);
  }

  /**
   * Clears the cached partition names. Callers must call this method after they drop a partition of the log.
   */
  forget(): void {
    this.#known.clear();
  }

  async #create({ name, from, to }: MonthPartition): Promise<void> {
    const client = this.#database.acrossAccounts;
    await client.$transaction([
      client.$executeRawUnsafe('SELECT pg_advisory_xact_lock($1)', partitionLock),
      client.$executeRawUnsafe(
        `CREATE TABLE IF NOT EXISTS "${name}" PARTITION OF "request_log" FOR VALUES FROM ('${from}') TO ('${to}')`,
      ),
    ]);
    this.#known.add(name);
  }
}

/**
 * Returns the time of a request in Unix milliseconds, taken from its UUIDv7 (RFC 9562, section 5.7). Returns null for
 * a UUID that is not version 7.
 */
export function parseRequestTimeMs(requestId: string): number | null {
  if (requestId[14] !== '7') return null;
  return Number.parseInt(requestId.slice(0, 8) + requestId.slice(9, 13), 16);
}
