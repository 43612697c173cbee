import { GatewayError } from '@gateway/errors';
import type { Identity } from './identity.ts';

/** Counts an attempt at a password before it is looked at. Throws `too_many_attempts`. */
export async function admitGuess(
  { guesses, countEvent }: Pick<Identity, 'guesses' | 'countEvent'>,
  email: string,
  clientAddress: string,
): Promise<void> {
  try {
    await guesses.admit(email, clientAddress);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'too_many_attempts') countEvent('blocked');
    throw error;
  }
}
