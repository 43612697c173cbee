import type { SessionKey } from '@gateway/contracts';
import type { Identity } from '../identity/identity.ts';

/** The keys that verify session tokens, as a JWK set (RFC 7517 §5). */
export async function getSessionKeys({
  signingKeys,
}: Pick<Identity, 'signingKeys'>): Promise<{ keySet: { keys: SessionKey[] } }> {
  return { keySet: { keys: await signingKeys.publicKeys() } };
}
