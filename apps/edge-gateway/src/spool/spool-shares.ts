import { GatewayError } from '@gateway/errors';
import type { Segment } from './segment.ts';

/** Number of bytes reserved for the end line of each open request, so that the end line can always be written. */
export const endingReserveBytes = 4096;

/**
 * Limit per account, as a multiple of the free spool space (dynamic thresholds, Choudhury and Hahne 1998). A
 * single account can use at most four fifths of the spool. An account with few events always has free space.
 */
const multipleOfFree = 4;

/** The spool space that each account uses, in bytes. */
export class SpoolShares {
  readonly #bytesMax: number;
  readonly #bytesOf = new Map<string, number>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Reserves spool space for an open request of the account.
   * @throws GatewayError `service_unavailable` if the spool or the account's share of the spool is full
   */
  admit(accountId: string, usedBytes: number): void {
    const freeBytes = this.#bytesMax - usedBytes;
    if (freeBytes <= 0) throw renderRefusal('the spool is full');
    if ((this.#bytesOf.get(accountId) ?? 0) >= multipleOfFree * freeBytes)
      throw renderRefusal('the account has used its share of the spool');
    this.#add(accountId, endingReserveBytes);
  }

  /** Releases the spool space of a request that has ended. */
  close(accountId: string): void {
    this.#add(accountId, -endingReserveBytes);
  }

  /**
   * Counts the bytes that an account writes.
   * @param writtenBytes number of bytes written, which may be an estimate
   */
  noteWritten(segment: Segment, accountId: string, writtenBytes: number): void {
    const bytes = Math.round(writtenBytes);
    segment.accountBytes.set(accountId, (segment.accountBytes.get(accountId) ?? 0) + bytes);
    this.#add(accountId, bytes);
  }

  readonly noteDeleted = (segment: Segment): void => {
    for (const [accountId, bytes] of segment.accountBytes) this.#add(accountId, -bytes);
  };

  #add(accountId: string, bytes: number): void {
    const sum = (this.#bytesOf.get(accountId) ?? 0) + bytes;
    if (sum > 0) this.#bytesOf.set(accountId, sum);
    else this.#bytesOf.delete(accountId);
  }
}

export function renderRefusal(detail: string, cause?: unknown): GatewayError {
  return new GatewayError('service_unavailable', { retryAfterMs: 1000, detail, cause });
}
