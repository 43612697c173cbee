import { createHmac } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import { seal } from '@gateway/messaging';

/**
 * The hash under which a key is stored: HMAC-SHA-256 of the key's SHA-256 (given in hex), keyed with the pepper. A
 * copy of the database without the pepper can neither find a key nor test a guess.
 */
export function hashKey(pepper: Buffer, keySha256: string): Buffer<ArrayBuffer> {
  return createHmac('sha256', pepper).update(Buffer.from(keySha256, 'hex')).digest();
}

/** Seals a key's secret to the requesting process. Throws `invalid_field` for an invalid public key. */
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

/** Throws the errors of `sealSecret`. Call it before a secret exists that could be lost. */
export function requireRecipient(recipientPublicKey: string): void {
  sealSecret('', recipientPublicKey);
}
