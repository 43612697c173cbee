import { sqlStateOf } from '@gateway/persistence';
import type { VaultDatabase } from '../persistence/vault-database.ts';

/** A version of the key-encryption key that was active at some time. */
export interface StoredKeyVersion {
  readonly version: number;
  readonly fingerprint: string | null;
  readonly wrappedSeed: Uint8Array | null;
}

/** A version before its first activation. */
export interface NewKeyVersion {
  readonly version: number;
  readonly fingerprint: string;
  readonly wrappedSeed: Uint8Array<ArrayBuffer>;
}

/** A running replica that lacks a key, or has a different key of that version. */
export interface LackingReplica {
  readonly instanceId: string;
}

/** A replica that did not register for this long is considered stopped. Replicas register six times as often. */
export const replicaSeenWithinMs = 60_000;

/** Lock that serializes decisions about key versions. Any number that is unique in this database. */
const keyVersionLock = 7_301_001;
const foreignKeyViolation = '23503';

/**
 * The active key versions, and the keys of each replica. Two rules make rotation safe, and one lock protects both. A
 * version is activated only when every running replica has its key. A replica that lacks the key of an active version
 * does not start to serve.
 */
export class KeyVersions {
  readonly #database: VaultDatabase;

  constructor(database: VaultDatabase) {
    this.#database = database;
  }

  /** Lists the active versions. The first one encrypts. */
  list(): Promise<StoredKeyVersion[]> {
    return this.#database.acrossAccounts.keyVersion.findMany({
      orderBy: { version: 'desc' },
      select: { version: true, fingerprint: true, wrappedSeed: true },
    });
  }

  /** Stores the first version of an empty vault. Does nothing if the vault has one. */
  async begin({ version, fingerprint, wrappedSeed }: NewKeyVersion): Promise<void> {
    const client = this.#database.acrossAccounts;
    await client.$transaction([
      this.#lock(),
      client.$executeRaw`INSERT INTO key_versions (version, fingerprint, wrapped_seed)
        SELECT ${version}, ${fingerprint}, ${wrappedSeed} WHERE NOT EXISTS (SELECT FROM key_versions)`,
    ]);
  }

  /** Adds the fingerprint and seed of a version that was activated before they were stored. */
  async complete({ version, fingerprint, wrappedSeed }: NewKeyVersion): Promise<void> {
    await this.#database.acrossAccounts.keyVersion.updateMany({
      where: { version, OR: [{ fingerprint: null }, { wrappedSeed: null }] },
      data: { fingerprint, wrappedSeed },
    });
  }

  /** Registers the keys of a replica, and returns the active versions after that. */
  async register(instanceId: string, held: Readonly<Record<string, string>>): Promise<StoredKeyVersion[]> {
    const client = this.#database.acrossAccounts;
    const fingerprints = JSON.stringify(held);
    await client.$transaction([
      this.#lock(),
      client.$executeRaw`INSERT INTO vault_replicas (instance_id, fingerprints)
        VALUES (${instanceId}, ${fingerprints}::jsonb)
        ON CONFLICT (instance_id) DO UPDATE SET fingerprints = excluded.fingerprints, seen_at = now()`,
      client.$executeRaw`DELETE FROM vault_replicas
        WHERE seen_at < now() - ${replicaSeenWithinMs} * interval '1 millisecond'`,
    ]);
    return this.list();
  }

  async unregister(instanceId: string): Promise<void> {
    await this.#database.acrossAccounts.vaultReplica.deleteMany({ where: { instanceId } });
  }

  /**
   * Activates a version. Returns false when a running replica lacks it, or when the same or a higher version is
   * active.
   */
  async activate({ version, fingerprint, wrappedSeed }: NewKeyVersion): Promise<boolean> {
    const client = this.#database.acrossAccounts;
    const [, inserted] = await client.$transaction([
      this.#lock(),
      client.$executeRaw`INSERT INTO key_versions (version, fingerprint, wrapped_seed)
        SELECT ${version}, ${fingerprint}, ${wrappedSeed}
        WHERE NOT EXISTS (SELECT FROM key_versions WHERE version >= ${version})
          AND NOT EXISTS (SELECT FROM vault_replicas
            WHERE seen_at >= now() - ${replicaSeenWithinMs} * interval '1 millisecond'
              AND fingerprints ->> ${String(version)} IS DISTINCT FROM ${fingerprint})`,
    ]);
    return inserted === 1;
  }

  /** Lists running replicas that do not have exactly this key. */
  listLacking(version: number, fingerprint: string): Promise<LackingReplica[]> {
    return this.#database.acrossAccounts.$queryRaw<LackingReplica[]>`
      SELECT instance_id AS "instanceId" FROM vault_replicas
      WHERE seen_at >= now() - ${replicaSeenWithinMs} * interval '1 millisecond'
        AND fingerprints ->> ${String(version)} IS DISTINCT FROM ${fingerprint}
      ORDER BY instance_id LIMIT 100`;
  }

  /** Deletes the versions below the highest that no credential needs, and returns them. */
  async retire(): Promise<number[]> {
    try {
      const rows = await this.#database.acrossAccounts.$queryRaw<{ version: number }[]>`
        DELETE FROM key_versions v WHERE v.version < (SELECT max(version) FROM key_versions)
          AND NOT EXISTS (SELECT FROM credentials c WHERE c.key_version = v.version)
        RETURNING v.version`;
      return rows.map(({ version }) => version).sort((a, b) => a - b);
    } catch (error) {
      // A concurrent write used one of these versions.
      if (sqlStateOf(error) === foreignKeyViolation) return [];
      throw error;
    }
  }

  #lock() {
    return this.#database.acrossAccounts.$executeRaw`SELECT pg_advisory_xact_lock(${keyVersionLock})`;
  }
}
