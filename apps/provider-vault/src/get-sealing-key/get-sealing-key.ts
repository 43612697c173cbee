import type { VaultContext } from '../domain/vault-context.ts';

/** To which credentials on their way in are sealed. The same from every replica. */
export function getSealingKey({ keyRing }: Pick<VaultContext, 'keyRing'>): { publicKey: string } {
  const [current] = keyRing.sealingKeyPairs;
  if (current === undefined) throw new Error('the key ring is empty');
  return { publicKey: current.publicKey };
}
