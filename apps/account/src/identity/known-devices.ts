import { createPrivateKey, createPublicKey, randomBytes, type KeyObject } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

/** How long a browser stays a known device after its last sign-in, in seconds. */
const deviceSeconds = 180 * 24 * 60 * 60;
const nonceBytes = 16;
const tokenType = 'device+jwt';
const algorithm = 'EdDSA';

/** The DER prefix before the 32 raw bytes of an Ed25519 private key (RFC 8410 §7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A user with known devices. Changing `deviceGeneration` revokes all earlier device tokens of the user. */
export interface DeviceOwner {
  readonly id: string;
  readonly deviceGeneration: number;
}

const claims = z.object({ sub: z.string(), jti: z.string().min(1).max(64), gen: z.int() });

/**
 * Creates and checks device tokens. A device token is a signed proof of an earlier sign-in in a browser. The
 * only effect of a device token is that the browser has a separate budget for wrong passwords. All replicas
 * derive the same Ed25519 key from the seed. Edge gateways verify device tokens with the public key.
 */
export class KnownDevices {
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  /** The public key that verifies device tokens, as 32 raw bytes in base64. */
  readonly publicKey: string;

  /** The parameter `seed` must have 32 bytes. */
  constructor(seed: Buffer) {
    const key = Buffer.concat([pkcs8Prefix, seed]);
    this.#privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    this.#publicKey = createPublicKey(this.#privateKey);
    const { x = '' } = this.#publicKey.export({ format: 'jwk' });
    this.publicKey = Buffer.from(x, 'base64url').toString('base64');
  }

  /**
   * Creates the device token for a browser. Callers must first verify the person's identity by a password or an
   * emailed link.
   */
  async issue({ id, deviceGeneration }: DeviceOwner): Promise<string> {
    return new SignJWT({ gen: deviceGeneration })
      .setProtectedHeader({ alg: algorithm, typ: tokenType })
      .setSubject(id)
      .setJti(randomBytes(nonceBytes).toString('base64url'))
      .setIssuedAt()
      .setExpirationTime(`${deviceSeconds}s`)
      .sign(this.#privateKey);
  }

  /**
   * Finds the id of the person's device among the given tokens. Returns null if no token is valid for this
   * person.
   */
  async find(tokens: readonly string[], owner: DeviceOwner | null): Promise<string | null> {
    for (const token of tokens) {
      const read = await this.#read(token);
      if (read !== null && read.sub === owner?.id && read.gen === owner.deviceGeneration) return read.jti;
    }
    return null;
  }

  async #read(token: string): Promise<z.infer<typeof claims> | null> {
    try {
      const { payload } = await jwtVerify(token, this.#publicKey, {
        algorithms: [algorithm],
        typ: tokenType,
      });
      return claims.safeParse(payload).data ?? null;
    } catch {
      // A device is unknown if its token is forged, expired or malformed.
      return null;
    }
  }
}
