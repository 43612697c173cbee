import { GatewayError } from '@gateway/errors';
import { openSealed, type SealingKeyPair } from '@gateway/messaging';
import { z } from 'zod';

const emailCharsMax = 254;
/**
 * Maximum password length, so that credentials fit into one message. The time needed to hash a password does
 * not depend on its length.
 */
const passwordCharsMax = 256;
/**
 * Minimum password length. NIST SP 800-63B §3.1.1 requires at least eight characters. NIST forbids
 * composition rules for passwords, because only length protects against guessing.
 */
const passwordCharsMin = 12;

/**
 * Decrypts a JSON text and parses it. Throws `invalid_field` if the text cannot be decrypted or parsed.
 */
export function openFor<Schema extends z.ZodType>(
  sealingKeys: SealingKeyPair,
  sealed: string,
  schema: Schema,
): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(openSealed(sealed, sealingKeys.privateKey).toString('utf8')));
  } catch {
    // The error must not reveal the sealed box or its content.
    throw new GatewayError('invalid_field', { message: 'The sealed credentials cannot be read.' });
  }
}

/** Normalizes an email address for storage and lookup. Returns null for an invalid address. */
export function parseEmail(text: string): string | null {
  const email = text.normalize('NFKC').trim().toLowerCase();
  return email.length <= emailCharsMax && z.email().safeParse(email).success ? email : null;
}

/**
 * Validates a new password. Throws `invalid_field` if the password is too short, too long or too easy to guess.
 */
export function checkNewPassword(password: string, email: string, param: string): void {
  const chars = password.normalize('NFKC').length;
  if (chars < passwordCharsMin || chars > passwordCharsMax) {
    throw new GatewayError('invalid_field', {
      param,
      message: `A password must have ${passwordCharsMin} to ${passwordCharsMax} characters.`,
    });
  }
  const isNameAlone = password.toLowerCase() === email;
  if (isNameAlone || new Set(password).size < 4) {
    throw new GatewayError('invalid_field', { param, message: 'This password is too easy to guess.' });
  }
}
