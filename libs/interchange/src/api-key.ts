import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An API key consists of `sk-svc-`, 256 random bits as 43 base62 characters, and the CRC-32 of all earlier
 * characters as 6 base62 characters. The checksum detects mistyped API keys without a lookup. The checksum is
 * not a security feature.
 */
const scheme = 'sk-svc-';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomCharacters = 43;
const checksumCharacters = 6;
const keyCharacters = scheme.length + randomCharacters + checksumCharacters;
/**
 * The visible prefix consists of `sk-svc-` and the next four characters. Lists show the visible prefix
 * instead of the API key.
 */
const prefixCharacters = scheme.length + 4;
const shape = new RegExp(`^${scheme}[0-9A-Za-z]{${randomCharacters + checksumCharacters}}$`);

export type ParsedApiKey =
  | { readonly valid: true; readonly prefix: string; readonly last4: string }
  /** The text is not an API key of the gateway, or the API key is mistyped. */
  | { readonly valid: false };

export interface CreatedApiKey {
  /** The complete secret API key. */
  readonly key: string;
  /** The visible prefix of the API key, which consists of `sk-svc-` and the next four characters. */
  readonly prefix: string;
  readonly last4: string;
}

/**
 * Checks the length, format and checksum of an API key. The check takes a few microseconds, regardless of
 * input length.
 */
export function parseApiKey(text: string): ParsedApiKey {
  if (text.length !== keyCharacters || !shape.test(text)) return { valid: false };
  const body = text.slice(0, -checksumCharacters);
  if (renderChecksum(body) !== text.slice(-checksumCharacters)) return { valid: false };
  return { valid: true, prefix: text.slice(0, prefixCharacters), last4: text.slice(-4) };
}

/** Creates an API key with the operating system's random number generator. */
export function createApiKey(): CreatedApiKey {
  // 62^43 is slightly greater than 2^256, so every 32-byte value maps to a different 43-digit number.
  // All 43-digit numbers below 2^256 are equally likely.
  const random = BigInt(`0x${randomBytes(32).toString('hex')}`);
  const body = scheme + renderBase62(random, randomCharacters);
  const key = body + renderChecksum(body);
  return { key, prefix: key.slice(0, prefixCharacters), last4: key.slice(-4) };
}

/**
 * The SHA-256 of an API key in lowercase hex. Messages and cache keys contain the digest instead of the API
 * key.
 */
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
