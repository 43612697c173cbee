import {
  credentialChanged,
  deleteCredential,
  forgetAccountCredentials,
  getSealingKey,
  listCredentials,
  putCredential,
  type ReportedAuditEvent,
} from '@gateway/contracts';
import { seal, type Messaging } from '@gateway/messaging';
import { newId } from '@gateway/persistence';
import { startStack } from '@gateway/testing';
import pg from 'pg';
import { connectAs, eventually, undoAll, type Undo } from '../stack.fixture.ts';

describe('deletions in the provider vault', () => {
  const undo: Undo[] = [];
  let edge: Messaging;
  let account: Messaging;
  /** A second database connection with a separate transaction. */
  let other: pg.Client;
  const changes: { accountId: string; provider: string }[] = [];

  beforeAll(async () => {
    const stack = await startStack({ apps: ['provider-vault'] });
    undo.push(() => stack.stop());
    [edge, account] = await Promise.all([connectAs(stack, 'edge-gateway'), connectAs(stack, 'account')]);
    edge.onBroadcast(credentialChanged, (change) => changes.push(change));
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
    // This lock lets the vault write the credential but makes the vault's transaction wait for the audit row.
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

  it('the vault announces a repeated deletion, and a change whose process was killed before the broadcast', async () => {
    const accountId = newId();
    const heardFor = (provider: string) =>
      eventually(() =>
        changes.find((change) => change.accountId === accountId && change.provider === provider),
      );
    await expect(edge.call(deleteCredential, { accountId, provider: 'openai' })).resolves.toEqual({
      deleted: false,
    });
    await heardFor('openai');
    const id = newId();
    const event: ReportedAuditEvent = {
      ...{ id, accountId, action: 'provider.deleted', changes: null, at: new Date().toISOString() },
      target: { type: 'provider', id: 'mistral', name: 'mistral' },
    };
    // The vault writes the audit row in the same transaction as the change.
    await other.query('INSERT INTO audit_outbox (id, account_id, event) VALUES ($1, $2, $3)', [
      id,
      accountId,
      event,
    ]);
    await heardFor('mistral');
  });
});
