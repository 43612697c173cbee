import type { ApiKey } from '@gateway/contracts';
import { createApiKey, keySha256, type CreatedApiKey } from '@gateway/interchange';
import { newId } from '@gateway/persistence';
import { hashKey, requireRecipient, sealSecret } from '../common/secrets.ts';
import { takeNextEpoch } from '../persistence/row-changes.ts';
import { renderApiKey } from './api-key-row.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { SecretCall } from './key-authority.ts';
import { runOnce } from '../idempotency/run-once.ts';
import type { AccountModels } from '../persistence/account-database.ts';
import { targetOf, type KeysContext } from './manage-keys.ts';

const playgroundName = 'Playground';
/** Lifetime of a playground key. */
const playgroundKeyMs = 60 * 60 * 1000;
/** Maximum number of active playground keys per account. Each browser uses one playground key. */
const playgroundKeysMax = 5;
/**
 * Number of expired or revoked playground keys that are kept, so that the request log can still show their
 * names.
 */
const keptKeysMax = 100;

interface CreatePlaygroundKeyRequest extends SecretCall {
  readonly body: { readonly k_target_override?: number | undefined };
}

/**
 * Creates an API key for the dashboard's playground, once per idempotency key. A playground key expires after
 * an hour and does not appear in key lists. A playground key has only the scope `inference`. If the account
 * has too many playground keys, the oldest playground key is revoked. Throws `not_found` for an unknown
 * account.
 */
export async function createPlaygroundKey(
  context: KeysContext,
  { accountId, body, recipientPublicKey, idempotencyKeySha256, actor }: CreatePlaygroundKeyRequest,
): Promise<{ key: ApiKey; sealedSecret: string; replayed: boolean }> {
  const { database, pepper } = context;
  requireRecipient(recipientPublicKey);
  const now = new Date();
  const call = { accountId, idempotencyKeySha256, request: { createPlaygroundKey: body }, now };
  const revoked: string[] = [];
  const { reply, replayed, epoch } = await database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const once = await runOnce(tx, pepper, call, async () => {
      revoked.push(...(await retireOldest(tx, epoch, now)));
      const secret = createApiKey();
      const kTargetOverride = body.k_target_override ?? null;
      const data = { ...renderRow(accountId, secret, pepper, now), kTargetOverride, epoch };
      const row = await tx.apiKey.create({ data });
      const policy = await tx.accountPolicy.findUniqueOrThrow({ where: { accountId } });
      const key = renderApiKey(row, policy);
      const place = { accountId, actor };
      await recordAudit(tx, place, { action: 'key.created', target: targetOf(key) });
      for (const id of revoked) {
        const target = targetOf({ id, name: playgroundName });
        await recordAudit(tx, place, { action: 'key.revoked', target });
      }
      return { key, secret: secret.key };
    });
    return { ...once, epoch };
  });
  for (const keyId of revoked) context.changes.announceKeyChange({ accountId, keyId, epoch, revoked: true });
  // A replayed key is also announced, because an earlier process may have crashed before the announcement.
  context.changes.announceKeyChange({ accountId, keyId: reply.key.id, epoch });
  return { key: reply.key, sealedSecret: sealSecret(reply.secret, recipientPublicKey), replayed };
}

function renderRow(accountId: string, secret: CreatedApiKey, pepper: Buffer, createdAt: Date) {
  return {
    id: newId(),
    accountId,
    name: playgroundName,
    keyHash: hashKey(pepper, keySha256(secret.key)),
    prefix: secret.prefix,
    last4: secret.last4,
    isPlayground: true,
    scopes: ['inference'],
    createdAt,
    expiresAt: new Date(createdAt.getTime() + playgroundKeyMs),
  };
}

/**
 * Revokes and deletes old playground keys to make room for another key. Returns the ids of the revoked keys.
 */
async function retireOldest(tx: AccountModels, epoch: number, now: Date): Promise<string[]> {
  const keys = await tx.apiKey.findMany({
    where: { isPlayground: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: { id: true, revokedAt: true },
  });
  const outdated = keys.slice(playgroundKeysMax - 1).filter(({ revokedAt }) => revokedAt === null);
  const revoked = outdated.map(({ id }) => id);
  await tx.apiKey.updateMany({ where: { id: { in: revoked } }, data: { revokedAt: now, epoch } });
  const forgotten = keys.slice(keptKeysMax).map(({ id }) => id);
  await tx.apiKey.deleteMany({ where: { id: { in: forgotten } } });
  return revoked;
}
