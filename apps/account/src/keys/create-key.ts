import type { Actor, ApiKey, CreateApiKeyBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { createApiKey, keySha256, type CreatedApiKey } from '@gateway/interchange';
import { newId } from '@gateway/persistence';
import { diffFields } from '../audit/diff-fields.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { activeKeysMax, targetOf, type KeysContext } from './manage-keys.ts';
import { parseExpiry, renderApiKey } from './api-key-row.ts';
import { hashKey, requireRecipient, sealSecret } from '../common/secrets.ts';
import { takeNextEpoch } from '../persistence/row-changes.ts';
import { runOnce } from '../idempotency/run-once.ts';
import type { AccountModels } from '../persistence/account-database.ts';

export interface CreateKeyRequest {
  readonly accountId: string;
  readonly body: CreateApiKeyBody;
  /** The public key to which the secret is encrypted. */
  readonly recipientPublicKey: string;
  readonly idempotencyKeySha256?: string | undefined;
  /** For the audit log. */
  readonly actor?: Actor | undefined;
}

/**
 * Creates an API key, once per idempotency key. The plaintext secret exists only until it is encrypted here.
 * Throws `not_found` for an unknown account. Throws `invalid_field` for an expiry in the past, an invalid
 * public key, or too many keys.
 */
export async function createKey(
  context: KeysContext,
  request: CreateKeyRequest,
): Promise<{ key: ApiKey; sealedSecret: string; replayed: boolean }> {
  const { accountId, body, recipientPublicKey, idempotencyKeySha256, actor } = request;
  const { database, pepper } = context;
  requireRecipient(recipientPublicKey);
  const now = new Date();
  const call = { accountId, idempotencyKeySha256, request: { createKey: body }, now };
  const { reply, replayed, epoch } = await database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const once = await runOnce(tx, pepper, call, async () => {
      await rejectOneTooMany(tx);
      const secret = createApiKey();
      const row = await tx.apiKey.create({ data: { ...renderRow(request, secret, pepper, now), epoch } });
      const policy = await tx.accountPolicy.findUniqueOrThrow({ where: { accountId } });
      const key = renderApiKey(row, policy);
      const created = {
        action: 'key.created',
        target: targetOf(key),
        changes: diffFields({}, body),
      } as const;
      await recordAudit(tx, { accountId, actor }, created);
      return { key, secret: secret.key };
    });
    return { ...once, epoch };
  });
  if (!replayed) context.changes.announceKeyChange({ accountId, keyId: reply.key.id, epoch });
  return { key: reply.key, sealedSecret: sealSecret(reply.secret, recipientPublicKey), replayed };
}

function renderRow(
  { accountId, body }: CreateKeyRequest,
  secret: CreatedApiKey,
  pepper: Buffer,
  createdAt: Date,
) {
  return {
    id: newId(),
    accountId,
    name: body.name,
    keyHash: hashKey(pepper, keySha256(secret.key)),
    prefix: secret.prefix,
    last4: secret.last4,
    rateLimitRpm: body.rate_limit_rpm ?? null,
    dailyTokenBudget: body.daily_token_budget ?? null,
    weeklyTokenBudget: body.weekly_token_budget ?? null,
    kTargetOverride: body.k_target_override ?? null,
    expiresAt: parseExpiry(body.expires_at ?? null, createdAt),
    createdAt,
  };
}

/** The count is exact even for concurrent calls, because the transaction locks the account's row. */
async function rejectOneTooMany(tx: AccountModels): Promise<void> {
  const count = await tx.apiKey.count({ where: { revokedAt: null } });
  if (count < activeKeysMax) return;
  throw new GatewayError('invalid_field', {
    message: `An account can have at most ${activeKeysMax} API keys. Revoke one first.`,
  });
}
