import { setTimeout as sleep } from 'node:timers/promises';
import type { StackUnderTest } from '@gateway/testing';
import pg from 'pg';

/** Every row in every database, as `<database>.<table> <row>`. */
export type Snapshot = ReadonlySet<string>;

/**
 * Columns that change without an API call. Services write the time of last use with a delay, and vault
 * processes write heartbeats.
 */
const movingColumns = ['last_used_at', 'updated_at', 'epoch', 'announced_epoch'];
const movingTables = new Set(['_prisma_migrations', 'vault_replicas']);
/** A wait in milliseconds, long enough for a response's row to appear in the request log. */
const settleMs = 2_000;
const settleRoundsMax = 15;
const deliveryPauseMs = 50;
const deliveryRoundsMax = 200;
const databases = ['account', 'vault', 'billing', 'telemetry'] as const;

export class StateReader {
  readonly #clients: readonly (readonly [string, pg.Client])[];

  private constructor(clients: readonly (readonly [string, pg.Client])[]) {
    this.#clients = clients;
  }

  static async open(stack: StackUnderTest): Promise<StateReader> {
    const clients = databases.map(
      (name) => [name, new pg.Client({ connectionString: stack.dev.postgres[name] })] as const,
    );
    await Promise.all(clients.map(([, client]) => client.connect()));
    return new StateReader(clients);
  }

  /**
   * Reads the rows of all databases.
   * @param naming limits the result to rows that contain one of the given strings
   */
  async read(naming?: readonly string[]): Promise<Snapshot> {
    await this.#untilDelivered();
    const rows = (await Promise.all(this.#clients.map(readDatabase))).flat();
    return new Set(
      naming === undefined ? rows : rows.filter((row) => naming.some((text) => row.includes(text))),
    );
  }

  /**
   * Waits for the vault's audit events. The account's audit log contains the events shortly after the
   * response.
   */
  async #untilDelivered(): Promise<void> {
    const [, vault] = this.#clients.find(([name]) => name === 'vault') ?? [];
    for (let round = 0; round < deliveryRoundsMax; round += 1) {
      const waiting = await vault?.query('SELECT 1 FROM audit_outbox LIMIT 1');
      if (waiting?.rowCount === 0) return;
      await sleep(deliveryPauseMs);
    }
    throw new Error('the vault’s audit events did not reach the audit log in time');
  }

  /**
   * Waits until all pending writes are done. The worker writes a request log row shortly after the response.
   */
  async untilSettled(): Promise<void> {
    let last = await this.read();
    for (let round = 0; round < settleRoundsMax; round += 1) {
      await sleep(settleMs);
      const now = await this.read();
      const { added, removed } = differenceOf(last, now);
      if (added.length + removed.length === 0) return;
      last = now;
    }
    throw new Error('the databases still change after the maximum waiting time');
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map(([, client]) => client.end()));
  }
}

async function readDatabase([database, client]: readonly [string, pg.Client]): Promise<string[]> {
  const { rows: tables } = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const names = tables.map(({ name }) => name).filter((name) => !movingTables.has(name));
  const selects = names.map(
    (name) =>
      `SELECT '${database}.${name} ' || (to_jsonb(t) - '{${movingColumns.join(',')}}'::text[])::text AS row FROM "${name}" t`,
  );
  const { rows } = await client.query<{ row: string }>(selects.join(' UNION ALL '));
  return rows.map(({ row }) => row);
}

/** Returns the rows that were added and removed between two snapshots. */
export function differenceOf(before: Snapshot, after: Snapshot): { added: string[]; removed: string[] } {
  return {
    added: [...after].filter((row) => !before.has(row)),
    removed: [...before].filter((row) => !after.has(row)),
  };
}
