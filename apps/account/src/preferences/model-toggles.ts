import type { Actor, ModelToggleBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { recordAudit } from '../audit/record-audit.ts';
import { takeNextEpoch } from '../persistence/row-changes.ts';
import type { PreferencesContext } from './preferences.ts';

/** Maximum number of model toggles per account, several times the number of models in the catalogue. */
const togglesMax = 10_000;

/**
 * Excludes a model from automatic routing, or includes it again. Throws `not_found` for an
 * unknown account, and `invalid_field` for too many model toggles.
 */
export async function toggleModel(
  context: PreferencesContext,
  { accountId, body, actor }: { accountId: string; body: ModelToggleBody; actor?: Actor | undefined },
): Promise<Record<string, never>> {
  const epoch = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const { provider, model_id: modelId, is_enabled: isEnabled } = body;
    const name = { accountId_provider_modelId: { accountId, provider, modelId } };
    const before = await tx.modelToggle.findUnique({ where: name, select: { isEnabled: true } });
    await tx.modelToggle.upsert({
      where: name,
      create: { accountId, provider, modelId, isEnabled },
      update: { isEnabled },
    });
    if ((await tx.modelToggle.count()) > togglesMax) throw tooMany();
    await tx.routingPreferences.update({ where: { accountId }, data: { epoch } });
    const id = `${provider}/${modelId}`;
    const changes = { is_enabled: { from: before?.isEnabled ?? true, to: isEnabled } };
    const toggled = {
      action: 'routing.model_toggled',
      target: { type: 'model', id, name: id },
      changes,
    } as const;
    await recordAudit(tx, { accountId, actor }, toggled);
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

/**
 * Lists the models that an account excludes from automatic routing. Returns an empty list for an unknown
 * account.
 */
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
