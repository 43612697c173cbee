import { GatewayError } from '@gateway/errors';
import { seal } from '@gateway/messaging';

/** Seals a key's secret to the process that asked. Throws `invalid_field` for a public key that is none. */
export function sealSecret(secret: string, recipientPublicKey: string): string {
  try {
    return seal(Buffer.from(secret), recipientPublicKey);
  } catch (cause) {
    throw new GatewayError('invalid_field', {
      param: 'recipientPublicKey',
      message: 'recipientPublicKey is not an X25519 public key.',
      cause,
    });
  }
}

/** Throws what `sealSecret` would: before there is a secret that could get lost. */
export function requireRecipient(recipientPublicKey: string): void {
  sealSecret('', recipientPublicKey);
}
