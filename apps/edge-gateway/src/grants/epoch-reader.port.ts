import type { KeyGrant } from '@gateway/contracts';

/** Tells of changes that no broadcast told of. */
export interface EpochReader {
  /**
   * The epoch of the latest change of each key, or of its account as a whole, in the order of the keys: 0 when none is
   * known, negative for one that is final. Null when it cannot be told now. Never throws.
   */
  read(keys: readonly Pick<KeyGrant, 'accountId' | 'keyId'>[]): Promise<readonly number[] | null>;
}
