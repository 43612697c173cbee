import type { Account, UpdateAccountBody } from '@gateway/contracts';
import type { AccountContext } from '../domain/account-context.ts';
import { takeNextEpoch } from '../domain/next-epoch.ts';
import { omitUndefined } from '../domain/omit-undefined.ts';
import { renderAccount } from '../domain/render-account.ts';

/** Changes what is given of an account's profile and policy. Throws `not_found` for an account that is not there. */
export async function updateAccount(
  context: Pick<AccountContext, 'database' | 'announceAccountChange'>,
  { accountId, body }: { accountId: string; body: UpdateAccountBody },
): Promise<{ account: Account }> {
  const { account, epoch } = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const row = await tx.account.update({
      where: { id: accountId },
      data: omitUndefined({ name: body.name }),
    });
    const policy = await tx.accountPolicy.update({
      where: { accountId },
      data: { ...renderPolicyChanges(body.policy), epoch },
    });
    return { account: renderAccount(row, policy), epoch };
  });
  context.announceAccountChange({ accountId, epoch });
  return { account };
}

function renderPolicyChanges(policy: UpdateAccountBody['policy']) {
  return omitUndefined({
    rateLimitRpm: policy?.rate_limit_rpm,
    dailyTokenBudget: policy?.daily_token_budget,
    weeklyTokenBudget: policy?.weekly_token_budget,
    contentLogging: policy?.content_logging,
    retentionDays: policy?.retention_days,
    shadowShare: policy?.shadow_share,
  });
}
