import { createHmac } from 'node:crypto';

/**
 * What a key is stored and found as: HMAC-SHA-256, under the pepper, of the key's SHA-256 (given in hex). A copy of the
 * database without the pepper can neither find a key nor test a guess.
 */
export function hashKey(pepper: Buffer, keySha256: string): Buffer<ArrayBuffer> {
  return createHmac('sha256', pepper).update(Buffer.from(keySha256, 'hex')).digest();
}
