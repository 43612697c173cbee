import { credentialSecret, type CredentialSecret } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { openSealed, type SealingKeyPair } from '@gateway/messaging';
import { secretBytesMax } from '../domain/bounds.ts';

/**
 * Opens what a gateway sealed to the vault. While keys are rotated, it may have been sealed to an older one. Throws
 * `service_unavailable` for a box that none opens (the gateway will fetch the key anew), and `invalid_field` for a
 * content that is no credential.
 */
export function openSealedSecret(
  sealedSecret: string,
  keyPairs: readonly SealingKeyPair[],
): CredentialSecret {
  const bytes = openWithAny(sealedSecret, keyPairs);
  try {
    if (bytes.length > secretBytesMax) throw invalidSecret();
    return parseSecret(bytes);
  } finally {
    bytes.fill(0);
  }
}

function openWithAny(sealedSecret: string, keyPairs: readonly SealingKeyPair[]): Buffer {
  for (const { privateKey } of keyPairs) {
    try {
      return openSealed(sealedSecret, privateKey);
    } catch {
      continue;
    }
  }
  throw new GatewayError('service_unavailable', { detail: 'the box is not sealed to a key of this vault' });
}

/** Without a cause: a parser's error may quote what it could not parse. */
function parseSecret(bytes: Buffer): CredentialSecret {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalidSecret();
  }
  const parsed = credentialSecret.safeParse(json);
  if (!parsed.success || parsed.data.apiKey === '') throw invalidSecret();
  return parsed.data;
}

function invalidSecret(): GatewayError {
  return new GatewayError('invalid_field', { message: 'The credential is not valid.' });
}
