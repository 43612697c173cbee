import type { Identity } from '../identity/identity.ts';

/** To which passwords on their way in are sealed. The same from every replica. */
export function getIdentitySealingKey({ sealingKeys }: Pick<Identity, 'sealingKeys'>): { publicKey: string } {
  return { publicKey: sealingKeys.publicKey };
}
