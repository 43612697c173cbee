import { createPublicKey, type KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import type { IdentityClient } from './identity-client.ts';

/** The DER prefix before the 32 raw bytes of an Ed25519 public key (RFC 8410 §4). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Returns the id in the first device token with a valid signature of the embedded identity service. Returns null if
 * none of the device tokens is valid. The gateway uses the device id only for the rate limit. The account service
 * decides whether the device belongs to the user.
 */
export async function findKnownDevice(
  identity: Pick<IdentityClient, 'settings'>,
  tokens: readonly string[],
): Promise<string | null> {
  if (tokens.length === 0) return null;
  const { deviceKey } = await identity.settings();
  const key = importKey(deviceKey);
  for (const token of tokens) {
    const id = await readDeviceId(token, key);
    if (id !== null) return id;
  }
  return null;
}

async function readDeviceId(token: string, key: KeyObject): Promise<string | null> {
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: ['EdDSA'], typ: 'device+jwt' });
    return payload.jti ?? null;
  } catch {
    // The gateway treats a device with a forged or expired token as unknown.
    return null;
  }
}

function importKey(rawBase64: string): KeyObject {
  const key = Buffer.concat([spkiPrefix, Buffer.from(rawBase64, 'base64')]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}
