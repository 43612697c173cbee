import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { undoAll, type Undo } from '../integration/stack.fixture.ts';
import {
  openOne,
  putOne,
  rotateUnderKills,
  startReaders,
  startVault,
  type VaultUnderTest,
} from './kek-rotation.fixture.ts';

/**
 * Tests a complete key-encryption key rotation while clients read credentials. The rotation adds the new key,
 * re-encrypts all credentials, and then removes the old key.
 */
export async function expectRotationUnderKills(size: { kills: number; credentials: number }): Promise<void> {
  const undo: Undo[] = [];
  try {
    const folder = mkdtempSync(join(tmpdir(), 'kek-rotation-'));
    undo.push(() => rmSync(folder, { recursive: true }));
    const vault = await startVault(folder, size.credentials, undo);
    const readers = startReaders(vault);
    undo.push(() => readers.stop());

    await vault.rollKeys(1, 2);
    const late = { ...vault.credentials[0]!, provider: 'late' };
    await putOne(vault.edge, late);
    const outcome = await rotateUnderKills(vault, size.kills);
    expect(outcome).toMatchObject({ version: 2, failed: [], retired: [1], inUse: [2] });
    await vault.rollKeys(2);

    await readers.stop();
    expect(readers.failures).toEqual([]);
    expect(readers.reads()).toBeGreaterThan(size.credentials);
    for (const stored of [...vault.credentials, late]) await openOne(vault.edge, stored);
    await expectEachOnce(vault, size.credentials + 1);
    const logs = vault.stack.logs('provider-vault') + vault.stack.logs('provider-vault-2');
    expect(vault.credentials.filter(({ apiKey }) => logs.includes(apiKey.slice(-12)))).toEqual([]);
  } finally {
    await undoAll(undo);
  }
}

/**
 * Expects that every credential is encrypted with the new key. Expects exactly one re-encryption of each
 * credential in the audit log.
 */
async function expectEachOnce({ stack }: VaultUnderTest, credentials: number): Promise<void> {
  const database = new pg.Client({ connectionString: stack.dev.postgres.vault });
  await database.connect();
  try {
    const { rows } = await database.query<{ of_new: number; audited: number; twice: number }>(`
      SELECT (SELECT count(*)::int FROM credentials WHERE key_version = 2) AS of_new,
             (SELECT count(DISTINCT credential_id)::int FROM credential_audit WHERE action = 'rewrap') AS audited,
             (SELECT count(*)::int FROM (SELECT FROM credential_audit WHERE action = 'rewrap'
                GROUP BY credential_id HAVING count(*) > 1) AS again) AS twice`);
    expect(rows[0]).toEqual({ of_new: credentials, audited: credentials, twice: 0 });
  } finally {
    await database.end();
  }
}
