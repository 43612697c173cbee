import type { CreateApiKeyBody, ApiKey } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { createApiKey, keySha256, type CreatedApiKey } from '@gateway/interchange';
import { seal } from '@gateway/messaging';
import { newId } from '@gateway/persistence';
import type { AccountContext } from '../domain/account-context.ts';
import { activeKeysMax } from '../domain/bounds.ts';
import { hashKey } from '../domain/hash-key.ts';
import { takeNextEpoch } from '../domain/next-epoch.ts';
import { renderApiKey } from '../domain/render-api-key.ts';
import type { AccountModels } from '../persistence/account-database.ts';

export interface CreateKeyRequest {
  readonly accountId: string;
  readonly body: CreateApiKeyBody;
  /** Whom the secret is sealed to. */
  readonly recipientPublicKey: string;
}

/**
 * Creates a key. Its secret exists here only until it is sealed. Throws `not_found` for an unknown account, and
 * `invalid_field` for an expiry that does not lie ahead, for a public key that is none, and for one key too many.
 */
export async function createKey(
  context: Pick<AccountContext, 'database' | 'pepper' | 'announceKeyChange'>,
  request: CreateKeyRequest,
): Promise<{ key: ApiKey; sealedSecret: string }> {
  const now = new Date();
  const expiresAt = parseExpiry(request.body.expires_at ?? null, now);
  const secret = createApiKey();
  const sealedSecret = sealSecret(secret.key, request.recipientPublicKey);
  const { accountId } = request;
  const { key, epoch } = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    await rejectOneTooMany(tx);
    const row = await tx.apiKey.create({
      data: {
        ...renderRow(request, secret, context.pepper),
        epoch,
        expiresAt,
        createdAt: now,
      },
    });
    const policy = await tx.accountPolicy.findUniqueOrThrow({ where: { accountId } });
    return { key: renderApiKey(row, policy), epoch };
  });
  context.announceKeyChange({ accountId, keyId: key.id, epoch });
  return { key, sealedSecret };
}

function renderRow({ accountId, body }: CreateKeyRequest, secret: CreatedApiKey, pepper: Buffer) {
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
  };
}

function parseExpiry(text: string | null, now: Date): Date | null {
  if (text === null) return null;
  const expiresAt = new Date(text);
  if (Number.isNaN(expiresAt.getTime()) || expiresAt <= now) {
    throw new GatewayError('invalid_field', { param: 'expires_at', message: 'expires_at must lie ahead.' });
  }
  return expiresAt;
}

function sealSecret(secret: string, recipientPublicKey: string): string {
  try {
    return seal(Buffer.from(secret), recipientPublicKey);
  } catch (cause) {
    throw new GatewayError('invalid_field', {
      param: 'recipientPublicKey',
      message: 'recipientPublicKey is not an X25519 public key.',
      cause,
    });
  }
}

/** Exact even under concurrent creations, since the account's row is held. */
async function rejectOneTooMany(tx: AccountModels): Promise<void> {
  const count = await tx.apiKey.count({ where: { revokedAt: null } });
  if (count < activeKeysMax) return;
  throw new GatewayError('invalid_field', {
    message: `An account has at most ${activeKeysMax} API keys. Revoke one first.`,
  });
}
