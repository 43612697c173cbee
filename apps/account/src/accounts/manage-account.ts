import type { Account, Actor, UpdateAccountBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { diffFields } from '../audit/diff-fields.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { loadActingKey, requireNoRaise, requireWithin } from '../keys/key-authority.ts';
import { parseScopes } from '../keys/api-key-row.ts';
import { omitUndefined, takeNextEpoch } from '../persistence/row-changes.ts';
import type { ChangeAnnouncer } from '../announce/change-announcer.ts';
import type {
  AccountDatabase,
  AccountModels,
  AccountPolicy,
  AccountRow,
} from '../persistence/account-database.ts';

export interface AccountsContext {
  readonly database: AccountDatabase;
  readonly changes: Pick<ChangeAnnouncer, 'announceAccountChange' | 'announceLoginSessionChange'>;
  /**
   * The issuer name of the embedded identity service. Null if an external OpenID Connect issuer is
   * used.
   */
  readonly embeddedIssuer: string | null;
}

/** Reads an account. Throws `not_found` for an unknown account. */
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

/** A change of the account's profile and policy. */
interface UpdateAccountRequest {
  readonly accountId: string;
  readonly body: UpdateAccountBody;
  readonly actor?: Actor | undefined;
}

/**
 * Updates the given fields in an account's profile and policy. Throws `not_found` for an unknown account.
 * Throws `grant_exceeds_key` if the calling API key would set a limit that is higher than the key's own
 * limit. Throws `grant_exceeds_key` if the new default scopes include a scope that the calling API key does
 * not have.
 */
export async function updateAccount(
  context: Pick<AccountsContext, 'database' | 'changes'>,
  { accountId, body, actor }: UpdateAccountRequest,
): Promise<{ account: Account }> {
  const { account, epoch } = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const before = await tx.account.findUniqueOrThrow({
      where: { id: accountId },
      include: { policy: true },
    });
    if (before.policy !== null) await checkPolicyChange(tx, before.policy, { accountId, body, actor });
    const row = await tx.account.update({
      where: { id: accountId },
      data: omitUndefined({ name: body.name }),
    });
    const policy = await tx.accountPolicy.update({
      where: { accountId },
      data: { ...renderPolicyChanges(body.policy), epoch },
    });
    const account = renderAccount(row, policy);
    const changes = before.policy === null ? {} : diffFields(renderAccount(before, before.policy), account);
    const target = { type: 'account', id: accountId, name: account.name } as const;
    await recordAudit(tx, { accountId, actor }, { action: 'account.updated', target, changes });
    return { account, epoch };
  });
  context.changes.announceAccountChange({ accountId, epoch });
  return { account };
}

/**
 * Checks a change of the account's policy. Without this check, an API key could raise its own limits, because
 * API keys inherit the policy's limits.
 */
async function checkPolicyChange(
  tx: AccountModels,
  policy: AccountPolicy,
  { body, actor }: UpdateAccountRequest,
): Promise<void> {
  const acting = await loadActingKey(tx, actor, policy);
  if (acting === null) return;
  const { default_key_scopes: scopes, ...limits } = body.policy ?? {};
  requireNoRaise(acting, limits);
  if (scopes) requireWithin(acting, { ...acting.authority, scopes }, { scopes: 'policy.default_key_scopes' });
}

function renderPolicyChanges(policy: UpdateAccountBody['policy']) {
  return omitUndefined({
    rateLimitRpm: policy?.rate_limit_rpm,
    dailyTokenBudget: policy?.daily_token_budget,
    weeklyTokenBudget: policy?.weekly_token_budget,
    contentLogging: policy?.content_logging,
    retentionDays: policy?.retention_days,
    shadowShare: policy?.shadow_share,
    shadowShareLearning: policy?.shadow_share_learning,
    defaultKeyScopes: policy?.default_key_scopes && parseScopes(policy.default_key_scopes),
  });
}

/**
 * Handles the notification that one of the account's provider credentials was saved or deleted. The vault also
 * notifies gateways directly, but a gateway can miss the vault's notification. Such a gateway reads the
 * account's new epoch (change number) from Redis, and reloads the account's credentials before the next use.
 * Throws `not_found` for an unknown account.
 */
export async function noteCredentialChange(
  context: Pick<AccountsContext, 'database' | 'changes'>,
  { accountId }: { accountId: string },
): Promise<Record<string, never>> {
  const epoch = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    // A grant must contain the latest epoch (change number) of its account.
    // Gateways would repeatedly reload a grant with an outdated epoch.
    await tx.routingPreferences.update({ where: { accountId }, data: { epoch } });
    return epoch;
  });
  context.changes.announceAccountChange({ accountId, epoch });
  return {};
}

/** Renders an account for API responses. */
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
      shadow_share_learning: policy.shadowShareLearning,
      default_key_scopes: parseScopes(policy.defaultKeyScopes),
    },
  };
}
