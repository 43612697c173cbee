import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';

/**
 * A sealed box is an encrypted message. Creating a sealed box requires only the recipient's public key. Only
 * the recipient can open the box. Secrets are sent over the message bus in sealed boxes. Sealed boxes use
 * X25519 with a new ephemeral key per box, HKDF-SHA256 and AES-256-GCM. The construction follows ECIES (SEC 1
 * §5.1) and HPKE's base mode (RFC 9180), without HPKE's negotiation. The layout before base64 is version (1
 * byte) | ephemeral public key (32) | ciphertext | GCM tag (16).
 */
const version = 1;
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + keyBytes;
const info = Buffer.from('agent-gateway sealed-box v1');

/** The DER prefix before the 32 raw bytes of an X25519 key (RFC 8410 §4 and §7). */
const spkiPrefix = Buffer.from('302a300506032b656e032100', 'hex');
const pkcs8Prefix = Buffer.from('302e020100300506032b656e04220420', 'hex');

export interface SealingKeyPair {
  /** The X25519 public key, as 32 raw bytes in base64. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

/**
 * The error for a sealed box that cannot be opened. Either the box was sealed for another key, was not
 * created by `seal`, or was modified. The error does not reveal the cause.
 */
export class SealedBoxError extends Error {
  override readonly name = 'SealedBoxError';
  constructor() {
    super('The sealed box cannot be opened.');
  }
}

/** Creates a key pair that exists only in this process. */
export function createSealingKeyPair(): SealingKeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  return { publicKey: rawPublicKey(publicKey).toString('base64'), privateKey };
}

/**
 * Derives the key pair from a 32-byte seed. Replicas that have equal seeds have equal key pairs. Throws a
 * RangeError if the seed has a different length.
 */
export function sealingKeyPairFromSeed(seed: Buffer): SealingKeyPair {
  if (seed.length !== keyBytes) throw new RangeError('The seed of a sealing key pair is 32 bytes.');
  const privateKey = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  return { publicKey: rawPublicKey(createPublicKey(privateKey)).toString('base64'), privateKey };
}

/**
 * Seals `plaintext` for the owner of the matching private key, and returns base64. Throws a RangeError for an
 * invalid public key (wrong length, not base64, or a point of low order).
 */
export function seal(plaintext: Uint8Array, recipientPublicKeyBase64: string): string {
  const recipient = parsePublicKey(recipientPublicKeyBase64);
  const ephemeral = generateKeyPairSync('x25519');
  const header = Buffer.concat([Buffer.from([version]), rawPublicKey(ephemeral.publicKey)]);
  const { key, nonce } = deriveBoxKey(ephemeral.privateKey, recipient, header, recipient);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(header);
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([header, ciphertext, cipher.getAuthTag()]).toString('base64');
}

/** Opens a sealed box that `seal` created for this key. Throws a `SealedBoxError` if the box cannot be opened. */
export function openSealed(sealedBase64: string, privateKey: KeyObject): Buffer {
  try {
    return openBox(parseBase64(sealedBase64), privateKey);
  } catch {
    throw new SealedBoxError();
  }
}

function openBox(box: Buffer, privateKey: KeyObject): Buffer {
  if (box.length < headerBytes + tagBytes || box[0] !== version) throw new SealedBoxError();
  const header = box.subarray(0, headerBytes);
  const recipient = rawPublicKey(createPublicKey(privateKey));
  const { key, nonce } = deriveBoxKey(privateKey, header.subarray(1), header, recipient);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    .setAAD(header)
    .setAuthTag(box.subarray(-tagBytes));
  return Buffer.concat([decipher.update(box.subarray(headerBytes, -tagBytes)), decipher.final()]);
}

/**
 * Derives the encryption key and nonce for a sealed box. The salt contains the ephemeral public key and the
 * recipient's public key. X25519 ignores one bit in the encoding of a point. If the salt did not contain the
 * public keys, two different boxes could decrypt to the same content. Deriving the nonce is safe because each
 * encryption key is used once.
 */
function deriveBoxKey(own: KeyObject, peer: Buffer, header: Buffer, recipient: Buffer) {
  const shared = diffieHellman({ privateKey: own, publicKey: importPublicKey(peer) });
  const salt = Buffer.concat([header, recipient]);
  const derived = Buffer.from(hkdfSync('sha256', shared, salt, info, keyBytes + nonceBytes));
  return { key: derived.subarray(0, keyBytes), nonce: derived.subarray(keyBytes) };
}

function parsePublicKey(text: string): Buffer {
  const raw = parseBase64(text);
  if (raw.length !== keyBytes) throw new RangeError('A sealing public key is 32 bytes.');
  return raw;
}

/**
 * Decodes base64 strictly. `Buffer.from` skips invalid characters and ignores unused bits, so several strings
 * would decode to the same box.
 */
function parseBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new RangeError('Not canonical base64.');
  return bytes;
}

function importPublicKey(raw: Buffer): KeyObject {
  return createPublicKey({ key: Buffer.concat([spkiPrefix, raw]), format: 'der', type: 'spki' });
}

function rawPublicKey(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(spkiPrefix.length);
}
