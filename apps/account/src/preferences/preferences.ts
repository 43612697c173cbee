import { routingPreferences } from '@gateway/contracts';
import type { Actor, RoutingPreferences, UpdatePreferencesBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { diffFields } from '../audit/diff-fields.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { omitUndefined, takeNextEpoch } from '../persistence/row-changes.ts';
import type { ChangeAnnouncer } from '../announce/change-announcer.ts';
import { Prisma, type AccountDatabase, type RoutingPreferencesRow } from '../persistence/account-database.ts';

export interface PreferencesContext {
  readonly database: AccountDatabase;
  readonly changes: Pick<ChangeAnnouncer, 'announceAccountChange'>;
}

/** Reads an account's routing preferences. Throws `not_found` for an unknown account. */
export async function getPreferences(
  { database }: Pick<PreferencesContext, 'database'>,
  { accountId }: { accountId: string },
): Promise<{ preferences: RoutingPreferences }> {
  const row = await database.forAccount(accountId).routingPreferences.findUnique({ where: { accountId } });
  if (row === null) throw new GatewayError('not_found');
  return { preferences: renderPreferences(row) };
}

/** Updates the given routing preferences of an account. Throws `not_found` for an unknown account. */
export async function updatePreferences(
  context: PreferencesContext,
  { accountId, body, actor }: { accountId: string; body: UpdatePreferencesBody; actor?: Actor | undefined },
): Promise<{ preferences: RoutingPreferences }> {
  const { preferences, epoch } = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const data = { ...renderChanges(body), epoch };
    const before = await tx.routingPreferences.findUniqueOrThrow({ where: { accountId } });
    const row = await tx.routingPreferences.update({ where: { accountId }, data });
    const preferences = renderPreferences(row);
    const changes = diffFields(renderPreferences(before), preferences);
    const target = { type: 'routing_preferences', id: null, name: null } as const;
    await recordAudit(tx, { accountId, actor }, { action: 'routing.preferences_updated', target, changes });
    return { preferences, epoch };
  });
  context.changes.announceAccountChange({ accountId, epoch });
  return { preferences };
}

function renderChanges(body: UpdatePreferencesBody) {
  return omitUndefined({
    mode: body.mode,
    // A preference that allows all providers is stored as SQL NULL, not as a JSON null.
    allowedProviders: body.allowed_providers === null ? Prisma.DbNull : body.allowed_providers,
    providerOrder: body.provider_order,
    maxCostUsdPerMtok: body.max_cost_usd_per_mtok,
    pruningMode: body.pruning?.mode,
    pruningRecallTarget: body.pruning?.recall_target,
    pruningRecovery: body.pruning?.recovery,
    pruningNative: body.pruning?.native,
    pruningLearning: body.pruning?.learning,
    compressionMode: body.compression?.mode,
    compressionApplyWithoutTools: body.compression?.apply_without_tools,
    cachingMarkers: body.caching?.markers,
    responsesPlan: body.responses?.plan,
    fallbacks: body.fallbacks,
    onBudgetExhausted: body.on_budget_exhausted,
  });
}

/**
 * Renders routing preferences for API responses. Throws an error if the database row was not written by this service.
 */
function renderPreferences(row: RoutingPreferencesRow): RoutingPreferences {
  return routingPreferences.parse({
    mode: row.mode,
    allowed_providers: row.allowedProviders,
    provider_order: row.providerOrder,
    max_cost_usd_per_mtok: row.maxCostUsdPerMtok,
    pruning: {
      mode: row.pruningMode,
      recall_target: row.pruningRecallTarget,
      recovery: row.pruningRecovery,
      native: row.pruningNative,
      learning: row.pruningLearning,
    },
    compression: { mode: row.compressionMode, apply_without_tools: row.compressionApplyWithoutTools },
    caching: { markers: row.cachingMarkers },
    responses: { plan: row.responsesPlan },
    fallbacks: row.fallbacks,
    on_budget_exhausted: row.onBudgetExhausted,
  });
}
