import { credentialSecret } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { openSealed, type SealingKeyPair } from '@gateway/messaging';
import { secretBytesMax } from '../domain/bounds.ts';
import { additionalKeyField } from '../domain/additional-keys.ts';
import { chooseHint } from '../domain/credential-hint.ts';
import type { OpenFields } from '../domain/envelope.ts';

/** Unwraps a key pair when its turn comes. */
export type OpenKeyPair = () => Promise<SealingKeyPair>;

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
