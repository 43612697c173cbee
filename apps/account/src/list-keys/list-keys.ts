import type { ApiKey } from '@gateway/contracts';
import type { AccountContext } from '../domain/account-context.ts';
import { activeKeysMax } from '../domain/bounds.ts';
import { renderApiKey } from '../domain/render-api-key.ts';

/** The account's keys that are not revoked, the newest first, without those of the playground. None for an unknown account. */
export async function listKeys(
  { database }: Pick<AccountContext, 'database'>,
  { accountId }: { accountId: string },
): Promise<{ keys: ApiKey[] }> {
  const models = database.forAccount(accountId);
  const [policy, keys] = await Promise.all([
    models.accountPolicy.findUnique({ where: { accountId } }),
    models.apiKey.findMany({
      where: { revokedAt: null, isPlayground: false },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: activeKeysMax,
    }),
  ]);
  return { keys: policy === null ? [] : keys.map((key) => renderApiKey(key, policy)) };
}
