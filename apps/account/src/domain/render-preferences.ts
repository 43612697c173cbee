import { routingPreferences, type RoutingPreferences } from '@gateway/contracts';
import type { RoutingPreferencesRow } from '../persistence/account-database.ts';

/** Preferences as callers see them. Throws for a row that no update of ours wrote. */
export function renderPreferences(row: RoutingPreferencesRow): RoutingPreferences {
  return routingPreferences.parse({
    mode: row.mode,
    allowed_providers: row.allowedProviders,
    max_cost_usd_per_mtok: row.maxCostUsdPerMtok,
    pruning: {
      mode: row.pruningMode,
      recall_target: row.pruningRecallTarget,
      recovery: row.pruningRecovery,
      native: row.pruningNative,
    },
    compression: { mode: row.compressionMode, apply_without_tools: row.compressionApplyWithoutTools },
    fallbacks: row.fallbacks,
    on_budget_exhausted: row.onBudgetExhausted,
  });
}
