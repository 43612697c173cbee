import { GatewayError } from '@gateway/errors';
import { isMissingRow } from '@gateway/persistence';
import type { AccountModels } from './account-database.ts';

/**
 * Increments and returns the account's epoch (change number). Locks the account's row until the transaction
 * ends. The lock serializes changes to an account, so that the transaction can count rows reliably. Throws
 * `not_found` for an unknown account.
 */
export async function takeNextEpoch(tx: AccountModels, accountId: string): Promise<number> {
  try {
    const { epoch } = await tx.account.update({
      where: { id: accountId },
      data: { epoch: { increment: 1 } },
      select: { epoch: true },
    });
    return epoch;
  } catch (error) {
    throw isMissingRow(error) ? new GatewayError('not_found', { cause: error }) : error;
  }
}

/** Omits undefined fields, so that a partial update changes only the fields of the request. */
export function omitUndefined<Row extends object>(
  row: Row,
): { [Field in keyof Row]?: Exclude<Row[Field], undefined> } {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as {
    [Field in keyof Row]?: Exclude<Row[Field], undefined>;
  };
}
