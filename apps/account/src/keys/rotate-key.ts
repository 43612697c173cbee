import type { ApiKey, RotateApiKeyBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { createApiKey, keySha256 } from '@gateway/interchange';
import { hashKey, requireRecipient, sealSecret } from '../common/secrets.ts';
import { takeNextEpoch } from '../persistence/row-changes.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { renderApiKey } from './api-key-row.ts';
import { allParts, authorityOf, findExcess, openKeyChange, type SecretCall } from './key-authority.ts';
import { runOnce } from '../idempotency/run-once.ts';
import type { AccountModels } from '../persistence/account-database.ts';
import { diffKeys, targetOf, type KeysContext } from './manage-keys.ts';

export interface RotateKeyRequest extends SecretCall {
  readonly keyId: string;
  readonly body: RotateApiKeyBody;
}

type RotatedKey = ApiKey & { previous_key_expires_at: string | null };

/**
 * Gives an API key a new secret, once per idempotency key. For a limited time, both the previous and the new
 * secret are valid. A secret from an earlier rotation expires immediately, so a key never has more than two
 * valid secrets. Throws `not_found` if the key is unknown, revoked or belongs to another account. Throws
 * `invalid_field` for an expired key or an invalid public key. The caller receives the new secret, so an API
 * key cannot rotate a key with more permissions (`grant_exceeds_key`). An API key cannot rotate itself
 * (`own_key_change`).
 */
export async function rotateKey(
  context: KeysContext,
  request: RotateKeyRequest,
): Promise<{ key: RotatedKey; sealedSecret: string; replayed: boolean }> {
  const { accountId, keyId, body, actor, recipientPublicKey, idempotencyKeySha256 } = request;
  const { database, pepper } = context;
  requireRecipient(recipientPublicKey);
  const now = new Date();
  // Only the original caller may get the stored reply, because the reply contains the secret.
  const rotation = { rotateKey: { keyId, ...body }, actingKeyId: actor?.keyId ?? undefined };
  const call = { accountId, idempotencyKeySha256, request: rotation, now };
  const { reply, replayed, epoch } = await database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const once = await runOnce(tx, pepper, call, () => replaceSecret(tx, { request, pepper, now, epoch }));
    return { ...once, epoch };
  });
  // A replayed key is also announced, because an earlier process may have crashed before the announcement.
  context.changes.announceKeyChange({ accountId, keyId, epoch });
  return { key: reply.key, sealedSecret: sealSecret(reply.secret, recipientPublicKey), replayed };
}

async function replaceSecret(
  tx: AccountModels,
  { request, pepper, now, epoch }: { request: RotateKeyRequest; pepper: Buffer; now: Date; epoch: number },
): Promise<{ key: RotatedKey; secret: string }> {
  const { accountId, keyId, body, actor } = request;
  const { found, policy, acting } = await openKeyChange(tx, request);
  if (findExcess(acting, authorityOf(found, policy), allParts) !== undefined) {
    throw new GatewayError('grant_exceeds_key', {
      message: 'An API key cannot rotate a key with more permissions than its own. Use the dashboard.',
    });
  }
  rejectExpired(found.expiresAt, now);
  const secret = createApiKey();
  const overlapMs = body.overlap_seconds * 1000;
  const previousValidUntil = overlapMs === 0 ? null : new Date(now.getTime() + overlapMs);
  const row = await tx.apiKey.update({
    where: { id: keyId },
    data: {
      keyHash: hashKey(pepper, keySha256(secret.key)),
      prefix: secret.prefix,
      last4: secret.last4,
      previousKeyHash: previousValidUntil === null ? null : found.keyHash,
      previousValidUntil,
      epoch,
    },
  });
  const previous_key_expires_at = previousValidUntil?.toISOString() ?? null;
  const key = { ...renderApiKey(row, policy), previous_key_expires_at };
  const changes = diffKeys(renderApiKey(found, policy), key);
  await recordAudit(
    tx,
    { accountId, actor, acting },
    { action: 'key.rotated', target: targetOf(key), changes },
  );
  return { key, secret: secret.key };
}

/** An expired API key cannot be rotated, because the new secret would not work. */
function rejectExpired(expiresAt: Date | null, now: Date): void {
  if (expiresAt === null || expiresAt > now) return;
  throw new GatewayError('invalid_field', {
    message: 'The key has expired. Give it a later expires_at first, or create a new one.',
  });
}
