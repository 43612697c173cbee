import type { Account } from '@gateway/contracts';
import type { AccountPolicy, AccountRow } from '../persistence/account-database.ts';

/** An account as its callers see it. */
export function renderAccount(row: AccountRow, policy: AccountPolicy): Account {
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
