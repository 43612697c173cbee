import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The format of an API key: `sk-svc-`, 43 base62 characters of 256 random bits, and 6 base62 characters of the CRC-32
 * of all that precedes them. The checksum lets a mistyped key be refused with no look-up; it proves nothing else.
 */
const scheme = 'sk-svc-';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomCharacters = 43;
const checksumCharacters = 6;
const keyCharacters = scheme.length + randomCharacters + checksumCharacters;
/** The scheme and four more: what lists show. */
const prefixCharacters = scheme.length + 4;
const shape = new RegExp(`^${scheme}[0-9A-Za-z]{${randomCharacters + checksumCharacters}}$`);

export type ParsedApiKey =
  | { readonly valid: true; readonly prefix: string; readonly last4: string }
  /** Not a key of ours, or a mistyped one. */
  | { readonly valid: false };

export interface CreatedApiKey {
  /** The secret itself. */
  readonly key: string;
  /** `sk-svc-` and four characters more. */
  readonly prefix: string;
  readonly last4: string;
}

/** Checks length, shape and checksum. Costs the same few microseconds whatever the text is or how long. */
export function parseApiKey(text: string): ParsedApiKey {
  if (text.length !== keyCharacters || !shape.test(text)) return { valid: false };
  const body = text.slice(0, -checksumCharacters);
  if (renderChecksum(body) !== text.slice(-checksumCharacters)) return { valid: false };
  return { valid: true, prefix: text.slice(0, prefixCharacters), last4: text.slice(-4) };
}

/** A new key from the system's random source. */
export function createApiKey(): CreatedApiKey {
  // 62^43 is just above 2^256, so 32 random bytes are one 43-digit number each, and none is likelier than another.
  const random = BigInt(`0x${randomBytes(32).toString('hex')}`);
  const body = scheme + renderBase62(random, randomCharacters);
  const key = body + renderChecksum(body);
  return { key, prefix: key.slice(0, prefixCharacters), last4: key.slice(-4) };
}

/** Lower-case hex of the key's SHA-256: what crosses the bus, and what caches are keyed by, in its stead. */
export function keySha256(key: string): string {
  return hash('sha256', key);
}

function renderChecksum(body: string): string {
  let text = '';
  for (let rest = crc32(body); text.length < checksumCharacters; rest = Math.floor(rest / 62))
    text = alphabet.charAt(rest % 62) + text;
  return text;
}

function renderBase62(value: bigint, characters: number): string {
  let text = '';
  for (let rest = value; text.length < characters; rest /= 62n)
    text = alphabet.charAt(Number(rest % 62n)) + text;
  return text;
}
