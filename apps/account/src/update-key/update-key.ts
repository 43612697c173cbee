import type { ApiKey, UpdateApiKeyBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { AccountContext } from '../domain/account-context.ts';
import { parseExpiry } from '../domain/expiry.ts';
import { takeNextEpoch } from '../domain/next-epoch.ts';
import { omitUndefined } from '../domain/omit-undefined.ts';
import { renderApiKey } from '../domain/render-api-key.ts';

/**
 * Changes what is given of a key and leaves the rest. Throws `not_found` for a key that is revoked, another account's, or
 * none, and `invalid_field` for an expiry that does not lie ahead.
 */
export async function updateKey(
  context: Pick<AccountContext, 'database' | 'announceKeyChange'>,
  { accountId, keyId, body }: { accountId: string; keyId: string; body: UpdateApiKeyBody },
): Promise<{ key: ApiKey }> {
  const changes = renderChanges(body);
  const { key, epoch } = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const found = await tx.apiKey.findUnique({
      where: { id: keyId, revokedAt: null, isPlayground: false },
      select: { id: true },
    });
    if (found === null) throw new GatewayError('not_found');
    const row = await tx.apiKey.update({ where: { id: keyId }, data: { ...changes, epoch } });
    const policy = await tx.accountPolicy.findUniqueOrThrow({ where: { accountId } });
    return { key: renderApiKey(row, policy), epoch };
  });
  context.announceKeyChange({ accountId, keyId, epoch });
  return { key };
}

function renderChanges(body: UpdateApiKeyBody) {
  return omitUndefined({
    name: body.name,
    rateLimitRpm: body.rate_limit_rpm,
    dailyTokenBudget: body.daily_token_budget,
    weeklyTokenBudget: body.weekly_token_budget,
    kTargetOverride: body.k_target_override,
    expiresAt: body.expires_at === undefined ? undefined : parseExpiry(body.expires_at, new Date()),
  });
}
