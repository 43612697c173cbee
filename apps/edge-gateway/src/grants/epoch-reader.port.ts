import type { KeyGrant } from '@gateway/contracts';

/** Reads change epochs, to detect changes without a received broadcast. */
export interface EpochReader {
  /**
   * The epoch of the latest change of each key or its account, in the order of the keys. 0 means no known change,
   * negative a final one. Null if it cannot be read now. Never throws.
   */
  read(keys: readonly Pick<KeyGrant, 'accountId' | 'keyId'>[]): Promise<readonly number[] | null>;
}
