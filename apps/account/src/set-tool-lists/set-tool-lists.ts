import type { ApiKey, ToolListBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { AccountContext } from '../domain/account-context.ts';
import { toolListBytesMax } from '../domain/bounds.ts';
import { takeNextEpoch } from '../domain/next-epoch.ts';
import { renderApiKey } from '../domain/render-api-key.ts';
import { countToolListBytes, parseToolList, renderToolList } from '../domain/tool-list.ts';
import type { AccountModels } from '../persistence/account-database.ts';

/**
 * Sets one or both of a key's tool lists; one left out stays as it is. Throws `not_found` for a key that is revoked,
 * another account's, or none, and `invalid_field` when the account's lists grow too long.
 */
export async function setToolLists(
  context: Pick<AccountContext, 'database' | 'announceKeyChange'>,
  { accountId, keyId, body }: { accountId: string; keyId: string; body: ToolListBody },
): Promise<{ key: ApiKey }> {
  const { key, epoch } = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const found = await tx.apiKey.findUnique({ where: { id: keyId, revokedAt: null, isPlayground: false } });
    if (found === null) throw new GatewayError('not_found');
    const { allowed_tools = parseToolList(found.allowedTools) } = body;
    const { denied_tools = parseToolList(found.deniedTools) } = body;
    const row = await tx.apiKey.update({
      where: { id: keyId },
      data: {
        allowedTools: renderToolList(allowed_tools),
        deniedTools: renderToolList(denied_tools),
        toolListBytes: countToolListBytes(allowed_tools) + countToolListBytes(denied_tools),
        epoch,
      },
    });
    await rejectTooLong(tx, body);
    const policy = await tx.accountPolicy.findUniqueOrThrow({ where: { accountId } });
    return { key: renderApiKey(row, policy), epoch };
  });
  context.announceKeyChange({ accountId, keyId, epoch });
  return { key };
}

async function rejectTooLong(tx: AccountModels, body: ToolListBody): Promise<void> {
  const sums = await tx.apiKey.aggregate({ where: { revokedAt: null }, _sum: { toolListBytes: true } });
  if ((sums._sum.toolListBytes ?? 0) <= toolListBytesMax) return;
  throw new GatewayError('invalid_field', {
    param: body.allowed_tools ? 'allowed_tools' : 'denied_tools',
    message: `The tool lists of an account's keys may take ${toolListBytesMax} bytes in all.`,
  });
}
