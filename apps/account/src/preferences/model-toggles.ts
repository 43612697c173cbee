import type { ModelToggleBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { takeNextEpoch } from '../persistence/row-changes.ts';
import type { PreferencesContext } from './preferences.ts';

/** Maximum number of model toggles per account: several times the number of models in the catalog. */
const togglesMax = 10_000;

/**
 * Excludes a model from automatic routing, or includes it again. Throws `not_found` for an unknown account,
 * and `invalid_field` for too many toggles.
 */
export async function toggleModel(
  context: PreferencesContext,
  { accountId, body }: { accountId: string; body: ModelToggleBody },
): Promise<Record<string, never>> {
  const epoch = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const { provider, model_id: modelId, is_enabled: isEnabled } = body;
    await tx.modelToggle.upsert({
      where: { accountId_provider_modelId: { accountId, provider, modelId } },
      create: { accountId, provider, modelId, isEnabled },
      update: { isEnabled },
    });
    if ((await tx.modelToggle.count()) > togglesMax) throw tooMany();
    await tx.routingPreferences.update({ where: { accountId }, data: { epoch } });
    return epoch;
  });
  context.changes.announceAccountChange({ accountId, epoch });
  return {};
}

function tooMany(): GatewayError {
  return new GatewayError('invalid_field', {
    message: `An account can have at most ${togglesMax} model toggles.`,
  });
}

/** Lists the models excluded from automatic routing. Returns an empty list for an unknown account. */
export async function listDisabledModels(
  { database }: Pick<PreferencesContext, 'database'>,
  { accountId }: { accountId: string },
): Promise<{ models: { provider: string; modelId: string }[] }> {
  const models = await database.forAccount(accountId).modelToggle.findMany({
    where: { isEnabled: false },
    select: { provider: true, modelId: true },
    take: togglesMax,
  });
  return { models };
}
