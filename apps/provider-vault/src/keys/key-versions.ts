import { sqlStateOf } from '@gateway/persistence';
import type { VaultDatabase } from '../persistence/vault-database.ts';

/** A version of the key-encryption key that has been activated. */
export interface StoredKeyVersion {
  readonly version: number;
  readonly fingerprint: string | null;
  readonly wrappedSeed: Uint8Array | null;
}

/** A version of the key-encryption key before its first activation. */
export interface NewKeyVersion {
  readonly version: number;
  readonly fingerprint: string;
  readonly wrappedSeed: Uint8Array<ArrayBuffer>;
}

/** A running replica that lacks the key of a version, or has a different key for that version. */
export interface LackingReplica {
  readonly instanceId: string;
}

/**
 * A replica counts as stopped if it has not registered for this number of milliseconds. Running replicas
 * register every ten seconds.
 */
export const replicaSeenWithinMs = 60_000;

/**
 * Id of the database lock that allows only one decision about key versions at a time. Any number that is unique in
 * the vault's database is a valid lock id.
 */
const keyVersionLock = 7_301_001;
const foreignKeyViolation = '23503';

/**
 * The active key versions, and the keys of each replica. One lock enforces two rules that make key rotation safe. A
 * key version is activated only if every running replica has the key of the version. A replica serves requests only
 * if it has the keys of all active versions.
 */
export class KeyVersions {
  readonly #database: VaultDatabase;

  constructor(database: VaultDatabase) {
    this.#database = database;
  }

  /** Lists the active key versions. New data is encrypted with the first version in the list. */
  list(): Promise<StoredKeyVersion[]> {
    return this.#database.acrossAccounts.keyVersion.findMany({
      orderBy: { version: 'desc' },
      select: { version: true, fingerprint: true, wrappedSeed: true },
    });
  }

  /** Stores the first key version in an empty vault. Does nothing if the vault already has a key version. */
  async begin({ version, fingerprint, wrappedSeed }: NewKeyVersion): Promise<void> {
    const client = this.#database.acrossAccounts;
    await client.$transaction([
      this.#lock(),
      client.$executeRaw`INSERT INTO key_versions (version, fingerprint, wrapped_seed)
        SELECT ${version}, ${fingerprint}, ${wrappedSeed} WHERE NOT EXISTS (SELECT FROM key_versions)`,
    ]);
  }

  /**
   * Adds the fingerprint and the seed to a key version that was activated by an older release. The older
   * release stored neither fingerprints nor seeds.
   */
  async complete({ version, fingerprint, wrappedSeed }: NewKeyVersion): Promise<void> {
    await this.#database.acrossAccounts.keyVersion.updateMany({
      where: { version, OR: [{ fingerprint: null }, { wrappedSeed: null }] },
      data: { fingerprint, wrappedSeed },
    });
  }

  /** Registers a replica's keys, and returns the key versions that are active after the registration. */
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
   * Activates a key version. Returns false if a running replica lacks the version, or if the same or a higher
   * version is already active.
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

  /** Lists running replicas that lack the given key or have a different key for its version. */
  listLacking(version: number, fingerprint: string): Promise<LackingReplica[]> {
    return this.#database.acrossAccounts.$queryRaw<LackingReplica[]>`
      SELECT instance_id AS "instanceId" FROM vault_replicas
      WHERE seen_at >= now() - ${replicaSeenWithinMs} * interval '1 millisecond'
        AND fingerprints ->> ${String(version)} IS DISTINCT FROM ${fingerprint}
      ORDER BY instance_id LIMIT 100`;
  }

  /**
   * Deletes key versions that no credential uses, except the highest version, and returns the deleted
   * versions.
   */
  async retire(): Promise<number[]> {
    try {
      const rows = await this.#database.acrossAccounts.$queryRaw<{ version: number }[]>`
        DELETE FROM key_versions v WHERE v.version < (SELECT max(version) FROM key_versions)
          AND NOT EXISTS (SELECT FROM credentials c WHERE c.key_version = v.version)
        RETURNING v.version`;
      return rows.map(({ version }) => version).sort((a, b) => a - b);
    } catch (error) {
      // The deletion fails if a concurrent write has encrypted data with one of the versions to delete.
      if (sqlStateOf(error) === foreignKeyViolation) return [];
      throw error;
    }
  }

  #lock() {
    return this.#database.acrossAccounts.$executeRaw`SELECT pg_advisory_xact_lock(${keyVersionLock})`;
  }
}
