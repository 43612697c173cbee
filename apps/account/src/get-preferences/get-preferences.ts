import type { RoutingPreferences } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { AccountContext } from '../domain/account-context.ts';
import { renderPreferences } from '../domain/render-preferences.ts';

/** Throws `not_found` for an account that is not there. */
export async function getPreferences(
  { database }: Pick<AccountContext, 'database'>,
  { accountId }: { accountId: string },
): Promise<{ preferences: RoutingPreferences }> {
  const row = await database.forAccount(accountId).routingPreferences.findUnique({ where: { accountId } });
  if (row === null) throw new GatewayError('not_found');
  return { preferences: renderPreferences(row) };
}
