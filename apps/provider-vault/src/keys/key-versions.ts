import { sqlStateOf } from '@gateway/persistence';
import type { VaultDatabase } from '../persistence/vault-database.ts';

/** A version of the key-encryption key that was ever written with. */
export interface StoredKeyVersion {
  readonly version: number;
  readonly fingerprint: string | null;
  readonly wrappedSeed: Uint8Array | null;
}

/** A version that is about to be written with for the first time. */
export interface NewKeyVersion {
  readonly version: number;
  readonly fingerprint: string;
  readonly wrappedSeed: Uint8Array<ArrayBuffer>;
}

/** A running replica that does not hold a key, or holds another one of that version. */
export interface LackingReplica {
  readonly instanceId: string;
}

/** A replica that was not seen for so long is gone. It says so every sixth of this. */
export const replicaSeenWithinMs = 60_000;

/** Serialises what decides on key versions: any number that nothing else of this database locks. */
const keyVersionLock = 7_301_001;
const foreignKeyViolation = '23503';

/**
 * Which key versions are in use, and which replica holds which. Two rules make rotation safe, and both are decided under
 * one lock: a version is written with only when every running replica holds its key; a replica that lacks the key of a
 * version in use does not start to serve.
 */
export class KeyVersions {
  readonly #database: VaultDatabase;

  constructor(database: VaultDatabase) {
    this.#database = database;
  }

  /** Those in use, the one that is written with first. */
  list(): Promise<StoredKeyVersion[]> {
    return this.#database.acrossAccounts.keyVersion.findMany({
      orderBy: { version: 'desc' },
      select: { version: true, fingerprint: true, wrappedSeed: true },
    });
  }

  /** Of an empty vault: its first version. Does nothing when there is one. */
  async begin({ version, fingerprint, wrappedSeed }: NewKeyVersion): Promise<void> {
    const client = this.#database.acrossAccounts;
    await client.$transaction([
      this.#lock(),
      client.$executeRaw`INSERT INTO key_versions (version, fingerprint, wrapped_seed)
        SELECT ${version}, ${fingerprint}, ${wrappedSeed} WHERE NOT EXISTS (SELECT FROM key_versions)`,
    ]);
  }

  /** Completes a version that was in use before fingerprints and seeds were kept. */
  async complete({ version, fingerprint, wrappedSeed }: NewKeyVersion): Promise<void> {
    await this.#database.acrossAccounts.keyVersion.updateMany({
      where: { version, OR: [{ fingerprint: null }, { wrappedSeed: null }] },
      data: { fingerprint, wrappedSeed },
    });
  }

  /** Writes down what a replica holds, and answers the versions in use as they are from then on. */
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

  /** Writes with this version from now on; false when a running replica lacks it, or a version as high is in use. */
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

  /** Running replicas that do not hold this very key. */
  listLacking(version: number, fingerprint: string): Promise<LackingReplica[]> {
    return this.#database.acrossAccounts.$queryRaw<LackingReplica[]>`
      SELECT instance_id AS "instanceId" FROM vault_replicas
      WHERE seen_at >= now() - ${replicaSeenWithinMs} * interval '1 millisecond'
        AND fingerprints ->> ${String(version)} IS DISTINCT FROM ${fingerprint}
      ORDER BY instance_id LIMIT 100`;
  }

  /** Drops the versions below the highest that no credential needs, and answers those. */
  async retire(): Promise<number[]> {
    try {
      const rows = await this.#database.acrossAccounts.$queryRaw<{ version: number }[]>`
        DELETE FROM key_versions v WHERE v.version < (SELECT max(version) FROM key_versions)
          AND NOT EXISTS (SELECT FROM credentials c WHERE c.key_version = v.version)
        RETURNING v.version`;
      return rows.map(({ version }) => version).sort((a, b) => a - b);
    } catch (error) {
      // A credential was written with one of them at this very moment.
      if (sqlStateOf(error) === foreignKeyViolation) return [];
      throw error;
    }
  }

  #lock() {
    return this.#database.acrossAccounts.$executeRaw`SELECT pg_advisory_xact_lock(${keyVersionLock})`;
  }
}
