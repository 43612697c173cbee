import type { Billing } from '@gateway/contracts';
import { readBilling, type ReadContext } from '../domain/read-billing.ts';

export async function describeBilling(
  context: ReadContext,
  { accountId }: { accountId: string },
): Promise<{ billing: Billing }> {
  return { billing: await readBilling(context, accountId) };
}
