import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The format of an API key: `sk-svc-`, 43 base62 characters of 256 random bits, and 6 base62 characters of the CRC-32
 * of everything before them. The checksum rejects mistyped keys without a look-up. It is not a security feature.
 */
const scheme = 'sk-svc-';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomCharacters = 43;
const checksumCharacters = 6;
const keyCharacters = scheme.length + randomCharacters + checksumCharacters;
/** The scheme and four more characters. Lists show this prefix. */
const prefixCharacters = scheme.length + 4;
const shape = new RegExp(`^${scheme}[0-9A-Za-z]{${randomCharacters + checksumCharacters}}$`);

export type ParsedApiKey =
  | { readonly valid: true; readonly prefix: string; readonly last4: string }
  /** Not a key of the gateway, or a mistyped one. */
  | { readonly valid: false };

export interface CreatedApiKey {
  /** The secret itself. */
  readonly key: string;
  /** `sk-svc-` and the four characters after it. */
  readonly prefix: string;
  readonly last4: string;
}

/** Checks length, shape and checksum. Takes a few microseconds, whatever the length of the text. */
export function parseApiKey(text: string): ParsedApiKey {
  if (text.length !== keyCharacters || !shape.test(text)) return { valid: false };
  const body = text.slice(0, -checksumCharacters);
  if (renderChecksum(body) !== text.slice(-checksumCharacters)) return { valid: false };
  return { valid: true, prefix: text.slice(0, prefixCharacters), last4: text.slice(-4) };
}

/** Creates a key from the system's random source. */
export function createApiKey(): CreatedApiKey {
  // 62^43 is just above 2^256, so each value of 32 random bytes maps to one 43-digit number. All are equally likely.
  const random = BigInt(`0x${randomBytes(32).toString('hex')}`);
  const body = scheme + renderBase62(random, randomCharacters);
  const key = body + renderChecksum(body);
  return { key, prefix: key.slice(0, prefixCharacters), last4: key.slice(-4) };
}

/** SHA-256 of the key in lower-case hex. Messages and cache keys contain this digest instead of the key. */
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
