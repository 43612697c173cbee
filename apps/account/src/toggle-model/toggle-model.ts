import type { ModelToggleBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { AccountContext } from '../domain/account-context.ts';
import { togglesMax } from '../domain/bounds.ts';
import { takeNextEpoch } from '../domain/next-epoch.ts';

/**
 * Takes a model out of automatic routing, or into it again. Throws `not_found` for an account that is not there, and
 * `invalid_field` for one toggle too many.
 */
export async function toggleModel(
  context: Pick<AccountContext, 'database' | 'announceAccountChange'>,
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
  context.announceAccountChange({ accountId, epoch });
  return {};
}

function tooMany(): GatewayError {
  return new GatewayError('invalid_field', {
    message: `An account has at most ${togglesMax} model toggles.`,
  });
}
