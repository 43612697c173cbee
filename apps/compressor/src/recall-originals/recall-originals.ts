import type { recallOriginals as contract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import type { OriginalStore } from '../originals/original-store.port.ts';

/** Room under the 8 MiB limit of a message, for texts that JSON makes longer. */
const replyUnitsMax = 2 * 1024 * 1024;

/** What markers stand for, as far as one message holds it. The first one always fits: no original is longer than that. */
export async function recallOriginals(
  { accountId, session, ids }: ParsedRequestOf<typeof contract>,
  store: OriginalStore,
): Promise<ReplyOf<typeof contract>> {
  const found = await store.find({ accountId, session }, ids);
  let units = 0;
  const originals = found.map((original) => {
    units += original?.length ?? 0;
    return units > replyUnitsMax ? null : original;
  });
  return { originals };
}
