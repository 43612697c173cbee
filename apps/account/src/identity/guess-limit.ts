import { createHmac } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { AccountDatabase } from '../persistence/account-database.ts';

/**
 * Number of free failures, and how long later failures block. Each block is twice as long as the one before, up to
 * the maximum.
 */
interface GuessAllowance {
  readonly free: number;
  readonly firstBlockMs: number;
  readonly longestBlockMs: number;
}

/** Failures are forgotten after this time without another one. */
export const forgottenAfterMs = 60 * 60 * 1000;

const bucketBits = 20;
const bucketsOfAKind = 1 << bucketBits;
const kinds = { email: 0, address: bucketsOfAKind } as const;

/**
 * Slows down password guessing across replicas, by e-mail address and by client address. An attempt counts as a
 * failure before the password is checked, and a correct password takes it back. So a thousand concurrent guesses gain
 * nothing over sequential ones. Unknown e-mail addresses count as well.
 *
 * Addresses share 2^20 buckets and the failures in them. The bucket is an HMAC, so an attacker cannot choose a
 * collision.
 */
export class GuessLimit {
  readonly #database: AccountDatabase;
  readonly #key: Buffer;
  readonly #allowances: { readonly email: GuessAllowance; readonly address: GuessAllowance };

  constructor(
    database: AccountDatabase,
    key: Buffer,
    allowances: { readonly email: GuessAllowance; readonly address: GuessAllowance },
  ) {
    this.#database = database;
    this.#key = key;
    this.#allowances = allowances;
  }

  /** Counts an attempt. Throws `too_many_attempts`, and does not reveal which address has too many failures. */
  async admit(email: string, clientAddress: string): Promise<void> {
    const now = new Date();
    // The client address is checked first: a blocked client cannot block the e-mail addresses of others.
    await this.#reserve(this.#bucketOf('address', clientAddress), this.#allowances.address, now);
    await this.#reserve(this.#bucketOf('email', email), this.#allowances.email, now);
  }

  /**
   * Records a correct password: clears the failures of the e-mail address, and takes back one failure of the client
   * address.
   */
  async absolve(email: string, clientAddress: string): Promise<void> {
    const { loginGuesses } = this.#database.acrossAccounts;
    await loginGuesses.deleteMany({ where: { bucket: this.#bucketOf('email', email) } });
    await loginGuesses.updateMany({
      where: { bucket: this.#bucketOf('address', clientAddress), failures: { gt: 0 } },
      data: { failures: { decrement: 1 }, blockedUntil: null },
    });
  }

  async #reserve(
    bucket: number,
    { free, firstBlockMs, longestBlockMs }: GuessAllowance,
    now: Date,
  ): Promise<void> {
    const forgotten = new Date(now.getTime() - forgottenAfterMs);
    const counted = await this.#database.acrossAccounts.$queryRaw<object[]>`
      INSERT INTO login_guesses AS known (bucket, failures, last_at) VALUES (${bucket}, 1, ${now})
      ON CONFLICT (bucket) DO UPDATE SET
        failures = CASE WHEN known.last_at < ${forgotten} THEN 1 ELSE known.failures + 1 END,
        last_at = ${now},
        blocked_until = CASE WHEN known.last_at >= ${forgotten} AND known.failures + 1 >= ${free}
          THEN ${now}::timestamptz + LEAST(
            ${firstBlockMs}::float8 * power(2, LEAST(known.failures + 1 - ${free}, 30)), ${longestBlockMs}::float8
          ) * interval '1 millisecond' END
      WHERE known.blocked_until IS NULL OR known.blocked_until <= ${now}
      RETURNING failures`;
    if (counted.length > 0) return;
    const row = await this.#database.acrossAccounts.loginGuesses.findUnique({ where: { bucket } });
    const waitMs = (row?.blockedUntil?.getTime() ?? now.getTime()) - now.getTime();
    throw new GatewayError('too_many_attempts', { retryAfterMs: Math.max(1_000, waitMs) });
  }

  #bucketOf(kind: keyof typeof kinds, value: string): number {
    const digest = createHmac('sha256', this.#key).update(`${kind}:${value}`).digest();
    return kinds[kind] + (digest.readUInt32BE(0) % bucketsOfAKind);
  }
}

/** Counts a login attempt before the password is checked. Throws `too_many_attempts`. */
export async function admitGuess(
  { guesses, countEvent }: { readonly guesses: GuessLimit; readonly countEvent: (event: 'blocked') => void },
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
