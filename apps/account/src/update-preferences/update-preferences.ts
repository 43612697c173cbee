import type { RoutingPreferences, UpdatePreferencesBody } from '@gateway/contracts';
import type { AccountContext } from '../domain/account-context.ts';
import { takeNextEpoch } from '../domain/next-epoch.ts';
import { omitUndefined } from '../domain/omit-undefined.ts';
import { renderPreferences } from '../domain/render-preferences.ts';
import { Prisma } from '../persistence/account-database.ts';

/** Changes what is given of an account's preferences. Throws `not_found` for an account that is not there. */
export async function updatePreferences(
  context: Pick<AccountContext, 'database' | 'announceAccountChange'>,
  { accountId, body }: { accountId: string; body: UpdatePreferencesBody },
): Promise<{ preferences: RoutingPreferences }> {
  const { row, epoch } = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const data = { ...renderChanges(body), epoch };
    return { row: await tx.routingPreferences.update({ where: { accountId }, data }), epoch };
  });
  context.announceAccountChange({ accountId, epoch });
  return { preferences: renderPreferences(row) };
}

function renderChanges(body: UpdatePreferencesBody) {
  return omitUndefined({
    mode: body.mode,
    // SQL's NULL for all of them: JSON's null would be a value.
    allowedProviders: body.allowed_providers === null ? Prisma.DbNull : body.allowed_providers,
    maxCostUsdPerMtok: body.max_cost_usd_per_mtok,
    pruningMode: body.pruning?.mode,
    pruningRecallTarget: body.pruning?.recall_target,
    pruningRecovery: body.pruning?.recovery,
    pruningNative: body.pruning?.native,
    compressionMode: body.compression?.mode,
    compressionApplyWithoutTools: body.compression?.apply_without_tools,
    fallbacks: body.fallbacks,
    onBudgetExhausted: body.on_budget_exhausted,
  });
}
