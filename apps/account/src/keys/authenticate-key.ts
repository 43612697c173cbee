import { keyGrant, type KeyGrant } from '@gateway/contracts';
import { hashKey } from '../common/secrets.ts';
import { chooseLimits, parseScopes, parseToolList } from './api-key-row.ts';
import type { Prisma } from '../persistence/account-database.ts';
import type { LastUsedRecorder } from './last-used-recorder.ts';
import type { KeysContext } from './manage-keys.ts';

/** Counts a check of an API key by its outcome. A revoked key counts as `unknown`. */
export type CountKeyLookup = (outcome: 'found' | 'unknown') => void;
export const COUNT_KEY_LOOKUP = Symbol('CountKeyLookup');

export interface AuthenticateKeyContext extends Pick<KeysContext, 'database' | 'pepper'> {
  readonly lastUsed: Pick<LastUsedRecorder, 'note'>;
  readonly countLookup: CountKeyLookup;
}

const withAccount = { account: { include: { policy: true, routing: true } } } as const;
type KeyWithAccount = Prisma.ApiKeyGetPayload<{ include: typeof withAccount }>;

/**
 * Returns the permissions of the API key with this SHA-256 (hex), or null for an unknown or revoked key. The
 * service rejects unknown and revoked keys in equal time, because a single lookup excludes revoked keys. For an
 * expired key or a replaced secret, the function still returns a grant with the expiry, and gateways enforce
 * the expiry.
 */
export async function authenticateKey(
  context: AuthenticateKeyContext,
  request: { keySha256: string },
): Promise<{ grant: KeyGrant | null }> {
  const keyHash = hashKey(context.pepper, request.keySha256);
  // The query covers all accounts, because the account is not known before the API key is found.
  const key = await context.database.acrossAccounts.apiKey.findFirst({
    where: { revokedAt: null, OR: [{ keyHash }, { previousKeyHash: keyHash }] },
    include: withAccount,
  });
  context.countLookup(key === null ? 'unknown' : 'found');
  if (key === null) return { grant: null };
  context.lastUsed.note(key.id);
  return { grant: renderGrant(key, chooseExpiry(key, keyHash)) };
}

/** A replaced secret expires after the overlap with the new secret, or with the key if the key expires earlier. */
function chooseExpiry({ expiresAt, ...key }: KeyWithAccount, keyHash: Buffer): Date | null {
  const { previousValidUntil } = key;
  if (keyHash.equals(key.keyHash) || previousValidUntil === null) return expiresAt;
  return expiresAt !== null && expiresAt < previousValidUntil ? expiresAt : previousValidUntil;
}

function renderGrant(key: KeyWithAccount, expiresAt: Date | null): KeyGrant {
  const { policy, routing } = key.account;
  if (policy === null || routing === null)
    throw new Error(`account ${key.accountId} has no policy or routing`);
  const limits = chooseLimits(key, policy);
  return keyGrant.parse({
    accountId: key.accountId,
    keyId: key.id,
    expiresAt: expiresAt?.toISOString() ?? null,
    rateLimitRpm: limits.rate_limit_rpm,
    scopes: parseScopes(key.scopes),
    dailyTokenBudget: limits.daily_token_budget,
    weeklyTokenBudget: limits.weekly_token_budget,
    onBudgetExhausted: routing.onBudgetExhausted,
    kTargetOverride: key.kTargetOverride,
    allowedTools: parseToolList(key.allowedTools),
    deniedTools: parseToolList(key.deniedTools),
    epoch: Math.max(key.epoch, policy.epoch, routing.epoch),
    pruning: {
      mode: routing.pruningMode,
      recallTarget: routing.pruningRecallTarget,
      recovery: routing.pruningRecovery,
      native: routing.pruningNative,
    },
    compression: { mode: routing.compressionMode, applyWithoutTools: routing.compressionApplyWithoutTools },
    ...{ caching: { markers: routing.cachingMarkers }, responses: { plan: routing.responsesPlan } },
    routing: {
      mode: routing.mode,
      allowedProviders: routing.allowedProviders,
      maxCostUsdPerMtok: routing.maxCostUsdPerMtok,
      ...{ fallbacks: routing.fallbacks, providerOrder: routing.providerOrder },
    },
    contentLogging: policy.contentLogging,
    retentionDays: policy.retentionDays,
    shadowShare: policy.shadowShare,
    shadowShareLearning: policy.shadowShareLearning,
    isDemo: key.account.isDemo,
  });
}
