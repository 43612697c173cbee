import type { Account, UpdateAccountBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { omitUndefined, takeNextEpoch } from '../persistence/row-changes.ts';
import type { ChangeAnnouncer } from '../announce/change-announcer.ts';
import type { AccountDatabase, AccountPolicy, AccountRow } from '../persistence/account-database.ts';

export interface AccountsContext {
  readonly database: AccountDatabase;
  readonly changes: Pick<ChangeAnnouncer, 'announceAccountChange' | 'announceLoginSessionChange'>;
}

/** Throws `not_found` for an account that is not there. */
export async function getAccount(
  { database }: Pick<AccountsContext, 'database'>,
  { accountId }: { accountId: string },
): Promise<{ account: Account }> {
  const row = await database
    .forAccount(accountId)
    .account.findUnique({ where: { id: accountId }, include: { policy: true } });
  if (!row?.policy) throw new GatewayError('not_found');
  return { account: renderAccount(row, row.policy) };
}

/** Changes what is given of an account's profile and policy. Throws `not_found` for an account that is not there. */
export async function updateAccount(
  context: AccountsContext,
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
  context.changes.announceAccountChange({ accountId, epoch });
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

/**
 * A credential of the account was saved or deleted. Gateways hear so from the vault; this is for those that hear nothing:
 * they see the account's epoch in Redis, and use none of its credentials before they have asked. Throws `not_found` for an
 * account that is not there.
 */
export async function noteCredentialChange(
  context: AccountsContext,
  { accountId }: { accountId: string },
): Promise<Record<string, never>> {
  const epoch = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    // Grants name the latest epoch that they know: one that they never named would be asked about again and again.
    await tx.routingPreferences.update({ where: { accountId }, data: { epoch } });
    return epoch;
  });
  context.changes.announceAccountChange({ accountId, epoch });
  return {};
}

/** An account as its callers see it. */
function renderAccount(row: AccountRow, policy: AccountPolicy): Account {
  return {
    id: row.id,
    object: 'account',
    name: row.name,
    is_demo: row.isDemo,
    created_at: row.createdAt.toISOString(),
    policy: {
      rate_limit_rpm: policy.rateLimitRpm,
      daily_token_budget: Number(policy.dailyTokenBudget),
      weekly_token_budget: Number(policy.weeklyTokenBudget),
      content_logging: policy.contentLogging,
      retention_days: policy.retentionDays,
      shadow_share: policy.shadowShare,
    },
  };
}
