import { createHash, hash } from 'node:crypto';
import type { RequestOutline } from '@gateway/interchange';

/**
 * For each message, a hash over the conversation up to it, its own bytes included: equal hashes are equal beginnings. Nobody
 * who does not have the conversation can make one.
 *
 * @param seed what else an outcome depends on: account, mode, the version of the steps.
 */
export function chainOf(seed: string, bytes: Buffer, { system, messages }: RequestOutline): Buffer[] {
  let last = createHash('sha256').update(seed);
  if (system !== undefined) last = last.update(bytes.subarray(system.range.start, system.range.end));
  let digest = last.digest();
  return messages.map(({ range }) => {
    digest = createHash('sha256').update(digest).update(bytes.subarray(range.start, range.end)).digest();
    return digest;
  });
}

/**
 * Names what was sent of the first messages: their bytes, and which of them went out as they came though they could have been
 * shorter.
 *
 * @param marks one character a message.
 */
export function nameSent(chain: readonly Buffer[], marks: string, count: number): string | null {
  const last = chain[count - 1];
  return last === undefined ? null : hash('sha256', `${last.toString('hex')}:${marks.slice(0, count)}`);
}
