import { createHmac } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import { seal } from '@gateway/messaging';

/**
 * What a key is stored and found as: HMAC-SHA-256, under the pepper, of the key's SHA-256 (given in hex). A copy of the
 * database without the pepper can neither find a key nor test a guess.
 */
export function hashKey(pepper: Buffer, keySha256: string): Buffer<ArrayBuffer> {
  return createHmac('sha256', pepper).update(Buffer.from(keySha256, 'hex')).digest();
}

/** Seals a key's secret to the process that asked. Throws `invalid_field` for a public key that is none. */
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

/** Throws what `sealSecret` would: before there is a secret that could get lost. */
export function requireRecipient(recipientPublicKey: string): void {
  sealSecret('', recipientPublicKey);
}
