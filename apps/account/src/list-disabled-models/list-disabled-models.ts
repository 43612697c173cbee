import type { AccountContext } from '../domain/account-context.ts';
import { togglesMax } from '../domain/bounds.ts';

/** The models that take no part in automatic routing. None for an unknown account. */
export async function listDisabledModels(
  { database }: Pick<AccountContext, 'database'>,
  { accountId }: { accountId: string },
): Promise<{ models: { provider: string; modelId: string }[] }> {
  const models = await database.forAccount(accountId).modelToggle.findMany({
    where: { isEnabled: false },
    select: { provider: true, modelId: true },
    take: togglesMax,
  });
  return { models };
}
