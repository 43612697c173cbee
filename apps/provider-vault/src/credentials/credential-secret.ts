import { credentialSecret } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { openSealed, type SealingKeyPair } from '@gateway/messaging';
import { z } from 'zod';

/** Maximum size of a credential as JSON, before encryption. */
export const secretBytesMax = 64 * 1024;
import type { OpenFields } from '../encryption/envelope.ts';

/** Unwraps a sealing key pair when it is first needed. */
type OpenKeyPair = () => Promise<SealingKeyPair>;

/**
 * The decrypted content of a credential that a gateway sent. The content consists of the fields to store and the
 * values that may be shown.
 */
export interface ReceivedSecret {
  readonly fields: OpenFields;
  readonly hint: string | null;
  readonly additionalKeys: number;
}

/**
 * Decrypts a credential that a gateway encrypted with the vault's public key. During a rotation of keys, the gateway
 * may still use an older public key. Throws `service_unavailable` if no key can decrypt the credential. After
 * `service_unavailable`, the gateway fetches the public key again. Throws `invalid_field` if the content is not a
 * credential.
 * @param keyPairs the key pairs, in the order in which they are tried. A key pair is unwrapped only if no previous
 *   pair can decrypt the credential.
 */
export async function openSealedSecret(
  sealedSecret: string,
  keyPairs: readonly OpenKeyPair[],
): Promise<ReceivedSecret> {
  const bytes = await openWithAny(sealedSecret, keyPairs);
  try {
    if (bytes.length > secretBytesMax) throw invalidSecret();
    return parseSecret(bytes);
  } finally {
    bytes.fill(0);
  }
}

async function openWithAny(sealedSecret: string, keyPairs: readonly OpenKeyPair[]): Promise<Buffer> {
  for (const open of keyPairs) {
    const { privateKey } = await open();
    try {
      return openSealed(sealedSecret, privateKey);
    } catch {
      continue;
    }
  }
  throw new GatewayError('service_unavailable', { detail: 'the box is not sealed to a key of this vault' });
}

/** The error has no cause, because the message of a parser error can quote the secret. */
function parseSecret(bytes: Buffer): ReceivedSecret {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalidSecret();
  }
  const parsed = credentialSecret.safeParse(json);
  if (!parsed.success) throw invalidSecret();
  const { apiKey, additionalKeys } = parsed.data;
  const fields: Record<string, Buffer> = { apiKey: Buffer.from(apiKey) };
  for (const [at, key] of additionalKeys.entries()) fields[additionalKeyField(at)] = Buffer.from(key);
  return { fields, hint: chooseHint(apiKey), additionalKeys: additionalKeys.length };
}

function invalidSecret(): GatewayError {
  return new GatewayError('invalid_field', { message: 'The credential is not valid.' });
}

/**
 * The prefix of the stored fields for additional keys. Each additional key of a credential is stored in its
 * own field.
 */
const prefix = 'additionalKey';

/** Returns the name of the stored field that contains the additional key at index `at`. */
function additionalKeyField(at: number): string {
  return `${prefix}${at}`;
}

/** Builds a credential from its decrypted fields. */
export function renderSecret(fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const names = Object.keys(fields);
  const further = names.filter((name) => name.startsWith(prefix));
  const own = names.filter((name) => !name.startsWith(prefix)).map((name) => [name, fields[name]] as const);
  const additionalKeys = further.map((_, at) => fields[additionalKeyField(at)]);
  return { ...Object.fromEntries(own), ...(additionalKeys.length === 0 ? {} : { additionalKeys }) };
}

/**
 * Minimum length of a credential for which a hint is shown. A shorter credential has no hint, because four
 * characters would reveal too much.
 */
const charactersMin = 12;

/**
 * Fields that identify a credential with several values. The displayed hint comes from the first of these fields that
 * is present.
 */
const names = ['api_key', 'access_key_id', 'private_key_id'] as const;
const severalValues = z.record(z.string(), z.unknown());

/**
 * Returns the last four characters of a credential as a hint, or null if the credential is too short. If a
 * credential has several fields, the hint comes from the field that identifies the credential.
 */
export function chooseHint(credential: string): string | null {
  const characters = Array.from(chooseShown(credential));
  return characters.length < charactersMin ? null : characters.slice(-4).join('');
}

function chooseShown(credential: string): string {
  if (!credential.startsWith('{')) return credential;
  try {
    const values = severalValues.parse(JSON.parse(credential));
    const shown = names.map((name) => values[name]).find((value) => typeof value === 'string');
    return typeof shown === 'string' ? shown : '';
  } catch {
    return credential;
  }
}
