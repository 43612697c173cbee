import { unlinkKeys } from '@gateway/messaging';
import type { Redis } from 'ioredis';
import { isAccountKey } from './account-keys.ts';

/**
 * The Redis servers that contain account keys, in the order in which their keys are deleted. The two fields may
 * refer to the same Redis server.
 */
export interface AccountKeyServers {
  readonly cache: Pick<Redis, 'scan' | 'unlink'>;
  readonly queue: Pick<Redis, 'scan' | 'unlink'>;
}

/** Maximum duration of one call in milliseconds, well below the deadline of the RPC contract. */
const workMs = 2_000;

interface ForgetRequest {
  readonly accountId: string;
  /**
   * The cursor from the previous reply, as `<server> <SCAN cursor>`. Null starts the deletion with the first
   * server.
   */
  readonly cursor: string | null;
}

/**
 * Deletes some of a deleted account's keys from Redis, and returns the cursor for the next call. The Redis keys with
 * the account's epoch (change number) are kept. The epoch informs gateways of the deletion of the account, and
 * expires soon.
 */
export async function forgetAccountKeys(
  servers: AccountKeyServers,
  { accountId, cursor }: ForgetRequest,
): Promise<{ cursor: string | null }> {
  const [name = 'cache', at = '0'] = cursor?.split(' ') ?? [];
  const server = name === 'queue' ? 'queue' : 'cache';
  const next = await unlinkKeys(servers[server], {
    pattern: `*:{${accountId}}*`,
    isWanted: isAccountKey,
    cursor: /^\d+$/.test(at) ? at : '0',
    workMs,
  });
  if (next !== null) return { cursor: `${server} ${next}` };
  return { cursor: server === 'cache' ? 'queue 0' : null };
}
