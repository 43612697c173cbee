import { createHmac } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import { seal } from '@gateway/messaging';

/**
 * Computes the hash under which an API key is stored. The hash is an HMAC-SHA-256 over the key's SHA-256
 * (hex), keyed with the pepper. Without the pepper, a stolen database cannot be used to look up an API key or
 * to test a guess.
 */
export function hashKey(pepper: Buffer, keySha256: string): Buffer<ArrayBuffer> {
  return createHmac('sha256', pepper).update(Buffer.from(keySha256, 'hex')).digest();
}

/**
 * Encrypts an API key's secret with the public key of the requesting process. Throws `invalid_field` for an
 * invalid public key.
 */
export function sealSecret(secret: string, recipientPublicKey: string): string {
  try {
    return seal(Buffer.from(secret), recipientPublicKey);
  } catch (cause) {
    throw new GatewayError('invalid_field', {
      param: 'recipientPublicKey',
      message: 'recipientPublicKey is not an X25519 public key.',
      cause,
    });
  }
}

/**
 * Validates a public key. Throws the errors of `sealSecret`. Callers must validate the key before they create
 * a secret, so that an invalid public key cannot cause the loss of the secret.
 */
export function requireRecipient(recipientPublicKey: string): void {
  sealSecret('', recipientPublicKey);
}
