import type { ApiKey, CreateApiKeyBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { createApiKey, keySha256, type CreatedApiKey } from '@gateway/interchange';
import { newId } from '@gateway/persistence';
import { diffFields } from '../audit/diff-fields.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { activeKeysMax, rejectLongLists, targetOf, type KeysContext } from './manage-keys.ts';
import { countToolListBytes, parseExpiry, parseScopes, renderApiKey, renderToolList } from './api-key-row.ts';
import {
  allParts,
  authorityOf,
  chooseScopes,
  loadActingKey,
  requireWithin,
  type ActingKey,
  type SecretCall,
} from './key-authority.ts';
import { hashKey, requireRecipient, sealSecret } from '../common/secrets.ts';
import { takeNextEpoch } from '../persistence/row-changes.ts';
import { runOnce } from '../idempotency/run-once.ts';
import type { AccountModels, AccountPolicy } from '../persistence/account-database.ts';

export interface CreateKeyRequest extends SecretCall {
  readonly body: CreateApiKeyBody;
}

/**
 * Creates an API key, once per idempotency key. The secret exists in plain text only until this function
 * encrypts it. If an API key creates another key, the new key has at most the permissions of its creator.
 * Throws `not_found` for an unknown account. Throws `invalid_field` for an expiry in the past, an invalid
 * public key, or too many API keys. Throws `insufficient_scope` or `grant_exceeds_key` if the calling API key
 * may not create this key.
 */
export async function createKey(
  context: KeysContext,
  request: CreateKeyRequest,
): Promise<{ key: ApiKey; sealedSecret: string; replayed: boolean }> {
  const { accountId, body, recipientPublicKey, idempotencyKeySha256, actor } = request;
  const { database, pepper } = context;
  requireRecipient(recipientPublicKey);
  const now = new Date();
  // Only the original caller may get the stored reply, because the reply contains the secret.
  const creation = { createKey: body, actingKeyId: actor?.keyId ?? undefined };
  const call = { accountId, idempotencyKeySha256, request: creation, now };
  const { reply, replayed, epoch } = await database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const policy = await tx.accountPolicy.findUniqueOrThrow({ where: { accountId } });
    const acting = await loadActingKey(tx, actor, policy);
    const once = await runOnce(tx, pepper, call, async () => {
      await rejectOneTooMany(tx);
      const secret = createApiKey();
      const authority = renderAuthority(body, policy, acting, now);
      const row = await tx.apiKey.create({
        data: { ...renderRow(request, secret, pepper, now), ...authority, epoch },
      });
      if (authority.toolListBytes > 0) await rejectLongLists(tx, 'allowed_tools');
      const key = renderApiKey(row, policy);
      const changes = diffFields({}, { ...body, scopes: key.scopes });
      await recordAudit(
        tx,
        { accountId, actor, acting },
        { action: 'key.created', target: targetOf(key), changes },
      );
      return { key, secret: secret.key };
    });
    return { ...once, epoch };
  });
  // A replayed key is also announced, because an earlier process may have crashed before the announcement.
  context.changes.announceKeyChange({ accountId, keyId: reply.key.id, epoch });
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
    kTargetOverride: body.k_target_override ?? null,
    createdAt,
  };
}

/**
 * The permissions of the new API key. If the body omits a field, the stricter of the account's value and the calling
 * key's value applies. Throws `grant_exceeds_key` for a field in the body that exceeds the permissions of the calling
 * key.
 */
function renderAuthority(body: CreateApiKeyBody, policy: AccountPolicy, acting: ActingKey | null, now: Date) {
  const own = acting?.authority;
  const least = (limit: 'rate_limit_rpm' | 'daily_token_budget' | 'weekly_token_budget', ofAccount: number) =>
    body[limit] ?? (own !== undefined && own.limits[limit] < ofAccount ? own.limits[limit] : null);
  const expiry = body.expires_at === undefined ? (own?.expiresAt?.toISOString() ?? null) : body.expires_at;
  const allowedTools = copyList(own?.allowedTools);
  const deniedTools = copyList(own?.deniedTools);
  const unscoped = {
    rateLimitRpm: least('rate_limit_rpm', policy.rateLimitRpm),
    dailyTokenBudget: least('daily_token_budget', Number(policy.dailyTokenBudget)),
    weeklyTokenBudget: least('weekly_token_budget', Number(policy.weeklyTokenBudget)),
    expiresAt: parseExpiry(expiry, now),
  };
  const defaults = parseScopes(policy.defaultKeyScopes).filter(
    (scope) => own?.scopes.includes(scope) ?? true,
  );
  const key = { ...unscoped, scopes: body.scopes ?? defaults, allowedTools, deniedTools };
  const authority = authorityOf(key, policy);
  const scopes = body.scopes ? authority.scopes : chooseScopes(null, authority, policy);
  requireWithin(acting, { ...authority, scopes }, allParts);
  return {
    ...unscoped,
    scopes: [...scopes],
    allowedTools: renderToolList(allowedTools),
    deniedTools: renderToolList(deniedTools),
    toolListBytes: countToolListBytes(allowedTools) + countToolListBytes(deniedTools),
  };
}

const copyList = (list: readonly string[] | null | undefined) => (list ? [...list] : null);

/** The transaction has locked the account's row, so no concurrent call can change the number of API keys. */
async function rejectOneTooMany(tx: AccountModels): Promise<void> {
  const count = await tx.apiKey.count({ where: { revokedAt: null } });
  if (count < activeKeysMax) return;
  throw new GatewayError('invalid_field', {
    message: `An account can have at most ${activeKeysMax} API keys. Revoke one first.`,
  });
}
