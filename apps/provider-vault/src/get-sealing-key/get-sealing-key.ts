import { GatewayError } from '@gateway/errors';
import type { VaultContext } from '../domain/vault-context.ts';

/** To which credentials on their way in are sealed. The same from every replica. */
export async function getSealingKey({
  keyVersions,
  sealingKeys,
}: Pick<VaultContext, 'keyVersions' | 'sealingKeys'>): Promise<{ publicKey: string }> {
  const [current] = await keyVersions.list();
  if (current === undefined) throw new GatewayError('service_unavailable', { detail: 'no key is in use' });
  const { publicKey } = await sealingKeys.open(current);
  return { publicKey };
}
