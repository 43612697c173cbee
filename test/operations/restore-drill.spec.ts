import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getSealingKey, putCredential } from '@gateway/contracts';
import { seal, type Messaging } from '@gateway/messaging';
import { newId } from '@gateway/persistence';
import { startStack, type StackUnderTest } from '@gateway/testing';
import pg from 'pg';
import { runRestoreDrill } from '../../tools/restore-drill/restore-drill.ts';
import { connectAs, undoAll, type Undo } from '../integration/stack.fixture.ts';

const credentials = 60;
const undo: Undo[] = [];
let stack: StackUnderTest;
let edge: Messaging;

beforeAll(async () => {
  stack = await startStack({ apps: ['account', 'provider-vault'] });
  undo.push(() => stack.stop());
  edge = await connectAs(stack, 'edge-gateway');
  undo.push(() => edge.close());
  for (let at = 0; at < credentials; at++) await store(`provider-${at % 7}`);
}, 120_000);
afterAll(() => undoAll(undo), 60_000);

async function store(provider: string): Promise<void> {
  const { publicKey } = await edge.call(getSealingKey, {});
  const apiKey = `sk-${randomBytes(16).toString('hex')}`;
  const sealedSecret = seal(Buffer.from(JSON.stringify({ apiKey })), publicKey);
  await edge.call(putCredential, { accountId: newId(), provider, baseUrl: null, sealedSecret });
}

/** Stores credentials while `work` runs, because operators create backups while clients use the stack. */
async function whileWriting<T>(work: () => Promise<T>): Promise<T> {
  const state = { isDone: false };
  const writing = (async () => {
    while (!state.isDone) await store('while-copied');
  })();
  try {
    return await work();
  } finally {
    state.isDone = true;
    await writing;
  }
}

test('a restored stack decrypts every credential except a damaged credential, which the restore names', async () => {
  const keepIn = join(mkdtempSync(join(tmpdir(), 'agent-gateway-kept-')), 'backup');
  undo.push(() => rmSync(join(keepIn, '..'), { recursive: true, force: true }));
  const damaged = await damageOne();
  const outcome = await whileWriting(() => runRestoreDrill({ dataDir: stack.dataDir, keepIn }));
  expect(outcome.failed).toEqual([expect.objectContaining(damaged)]);
  expect(outcome.opened).toBeGreaterThanOrEqual(credentials - 1);
  expect(outcome.isKeyKnown).toBe(true);
  // In a backup, the encryption keys are stored separately from the encrypted data.
  // Only the owner can read the file with the encryption keys.
  expect(readdirSync(keepIn).sort()).toEqual(['databases', 'keys']);
  for (const part of ['keys/secrets.json', 'databases/postgres'])
    expect(statSync(join(keepIn, part)).mode & 0o077).toBe(0);
}, 240_000);

/** Replaces one credential's data key with another credential's data key. The vault must detect the wrong key. */
async function damageOne(): Promise<{ accountId: string; provider: string }> {
  const database = new pg.Client({ connectionString: stack.dev.postgres.vault });
  await database.connect();
  const { rows } = await database.query<{ account_id: string; provider: string }>(`
    UPDATE credentials SET wrapped_data_key = (SELECT wrapped_data_key FROM credentials ORDER BY id DESC LIMIT 1)
    WHERE id = (SELECT id FROM credentials ORDER BY id LIMIT 1) RETURNING account_id, provider`);
  await database.end();
  return { accountId: rows[0]?.account_id ?? '', provider: rows[0]?.provider ?? '' };
}
