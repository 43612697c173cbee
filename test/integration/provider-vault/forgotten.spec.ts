import { forgetAccountCredentials, getSealingKey, listCredentials, putCredential } from '@gateway/contracts';
import { seal, type Messaging } from '@gateway/messaging';
import { newId } from '@gateway/persistence';
import { startStack } from '@gateway/testing';
import pg from 'pg';
import { connectAs, eventually, undoAll, type Undo } from '../stack.fixture.ts';

describe('a credential stored while its account is being deleted', () => {
  const undo: Undo[] = [];
  let edge: Messaging;
  let account: Messaging;
  /** A second database connection with its own transaction. */
  let other: pg.Client;

  beforeAll(async () => {
    const stack = await startStack({ apps: ['provider-vault'] });
    undo.push(() => stack.stop());
    [edge, account] = await Promise.all([connectAs(stack, 'edge-gateway'), connectAs(stack, 'account')]);
    undo.push(
      () => edge.close(),
      () => account.close(),
    );
    other = new pg.Client({ connectionString: stack.dev.postgres.vault });
    await other.connect();
    undo.push(() => other.end());
  }, 180_000);
  afterAll(() => undoAll(undo), 120_000);

  async function put(accountId: string): Promise<unknown> {
    const { publicKey } = await edge.call(getSealingKey, {});
    const sealedSecret = seal(Buffer.from(JSON.stringify({ apiKey: 'sk-of-a-test' })), publicKey);
    return edge.call(putCredential, { accountId, provider: 'openai', baseUrl: null, sealedSecret });
  }

  it('a credential stored while its account is being deleted is deleted with the account', async () => {
    const accountId = newId();
    // The credential is written, but its transaction is waiting for the audit row.
    await other.query('BEGIN; LOCK TABLE credential_audit IN SHARE MODE');
    const stored = put(accountId);
    await eventually(async () => {
      const { rows } = await other.query('SELECT FROM pg_locks WHERE NOT granted');
      return rows.length > 0 ? true : null;
    });
    const forgotten = account.call(forgetAccountCredentials, { accountId });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await other.query('COMMIT');
    await stored;
    await expect(forgotten).resolves.toEqual({ credentials: 1 });
    await expect(edge.call(listCredentials, { accountId })).resolves.toEqual({ credentials: [] });
    await expect(put(accountId)).rejects.toMatchObject({ code: 'not_found' });
  });
});
