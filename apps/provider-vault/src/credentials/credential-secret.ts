import { credentialSecret } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { SealingKeyPair } from '@gateway/messaging';
import { openSealed } from '@gateway/messaging';
import { z } from 'zod';

/** A credential as JSON, before it is sealed. */
export const secretBytesMax = 64 * 1024;
import type { OpenFields } from '../encryption/envelope.ts';

/** Unwraps a key pair when its turn comes. */
type OpenKeyPair = () => Promise<SealingKeyPair>;

/** What came in a box: the fields to store, and what may be shown of them. */
export interface ReceivedSecret {
  readonly fields: OpenFields;
  readonly hint: string | null;
  readonly additionalKeys: number;
}

/**
 * Opens what a gateway sealed to the vault. While keys are rotated, it may have been sealed to an older one. Rejects with
 * `service_unavailable` for a box that none opens (the gateway will fetch the key anew), and `invalid_field` for a
 * content that is no credential.
 *
 * @param keyPairs those to try; the next is unwrapped when the one before does not open the box
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

/** Without a cause: a parser's error may quote what it could not parse. */
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

/** Each further key of a credential is a field of its own. */
const prefix = 'additionalKey';

/** The stored field of the further key at that position. */
function additionalKeyField(at: number): string {
  return `${prefix}${at}`;
}

/** Stored fields, opened, as the credential that they are of. */
export function renderSecret(fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const names = Object.keys(fields);
  const further = names.filter((name) => name.startsWith(prefix));
  const own = names.filter((name) => !name.startsWith(prefix)).map((name) => [name, fields[name]] as const);
  const additionalKeys = further.map((_, at) => fields[additionalKeyField(at)]);
  return { ...Object.fromEntries(own), ...(additionalKeys.length === 0 ? {} : { additionalKeys }) };
}

/** Shorter credentials show nothing: four characters of them would be too much. */
const charactersMin = 12;

/** The names that a credential of several values has for the one it is known by, the first that is there. */
const names = ['api_key', 'access_key_id', 'private_key_id'] as const;
const severalValues = z.record(z.string(), z.unknown());

/** The last four characters of a credential that is long enough, or null. Of several values, those of the one that names it. */
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
