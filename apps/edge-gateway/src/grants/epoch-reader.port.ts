import type { KeyGrant } from '@gateway/contracts';

/**
 * Reads the epochs (change numbers) of API keys, so that a change is detected even if its broadcast was lost.
 */
export interface EpochReader {
  /**
   * Returns one epoch per API key, in the order of the keys. The epoch identifies the latest change to the key
   * or its account. Epoch 0 means that no change to the key or its account is known. A negative epoch means
   * that the API key is permanently revoked. Returns null if the epochs cannot be read at the moment. The
   * method never throws.
   */
  read(keys: readonly Pick<KeyGrant, 'accountId' | 'keyId'>[]): Promise<readonly number[] | null>;
}
