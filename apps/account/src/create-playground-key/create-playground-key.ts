import type { ApiKey } from '@gateway/contracts';
import { createApiKey, keySha256 } from '@gateway/interchange';
import { newId } from '@gateway/persistence';
import type { AccountContext } from '../domain/account-context.ts';
import { hashKey } from '../domain/hash-key.ts';
import { takeNextEpoch } from '../domain/next-epoch.ts';
import { renderApiKey } from '../domain/render-api-key.ts';
import { requireRecipient, sealSecret } from '../domain/seal-secret.ts';
import type { AccountModels } from '../persistence/account-database.ts';

/** How long the dashboard may use one before it asks for the next. */
export const playgroundKeyMs = 60 * 60 * 1000;
/** Keys that work at the same time: as many browsers. */
export const playgroundKeysMax = 5;
/** Keys that are over and that the request log can still name. */
const keptKeysMax = 100;

/**
 * Makes an API key for the dashboard's playground: an ordinary one but that it is over in an hour and that lists leave it
 * out. The account's oldest goes when there are too many. Throws `not_found` for an unknown account.
 */
export async function createPlaygroundKey(
  context: Pick<AccountContext, 'database' | 'pepper' | 'announceKeyChange'>,
  { accountId, recipientPublicKey }: { accountId: string; recipientPublicKey: string },
): Promise<{ key: ApiKey; sealedSecret: string }> {
  requireRecipient(recipientPublicKey);
  const secret = createApiKey();
  const createdAt = new Date();
  const { key, revoked, epoch } = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const revoked = await retireOldest(tx, epoch, createdAt);
    const row = await tx.apiKey.create({
      data: {
        id: newId(),
        accountId,
        name: 'Playground',
        keyHash: hashKey(context.pepper, keySha256(secret.key)),
        prefix: secret.prefix,
        last4: secret.last4,
        isPlayground: true,
        epoch,
        createdAt,
        expiresAt: new Date(createdAt.getTime() + playgroundKeyMs),
      },
    });
    const policy = await tx.accountPolicy.findUniqueOrThrow({ where: { accountId } });
    return { key: renderApiKey(row, policy), revoked, epoch };
  });
  for (const keyId of revoked) context.announceKeyChange({ accountId, keyId, epoch, revoked: true });
  context.announceKeyChange({ accountId, keyId: key.id, epoch });
  return { key, sealedSecret: sealSecret(secret.key, recipientPublicKey) };
}

/** Makes room for one more. Answers the ids of those that worked until now. */
async function retireOldest(tx: AccountModels, epoch: number, now: Date): Promise<string[]> {
  const keys = await tx.apiKey.findMany({
    where: { isPlayground: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: { id: true, revokedAt: true },
  });
  const outdated = keys.slice(playgroundKeysMax - 1).filter(({ revokedAt }) => revokedAt === null);
  const revoked = outdated.map(({ id }) => id);
  await tx.apiKey.updateMany({ where: { id: { in: revoked } }, data: { revokedAt: now, epoch } });
  const forgotten = keys.slice(keptKeysMax).map(({ id }) => id);
  await tx.apiKey.deleteMany({ where: { id: { in: forgotten } } });
  return revoked;
}
