import { createHmac } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { AccountDatabase } from '../persistence/account-database.ts';

/**
 * How many failures are free, and how long later failures block. Each block lasts twice as long as the
 * previous one, up to the maximum.
 */
interface GuessAllowance {
  readonly free: number;
  readonly firstBlockMs: number;
  readonly longestBlockMs: number;
}

/** Failures are forgotten after this much time without a new failure. */
export const forgottenAfterMs = 60 * 60 * 1000;

const bucketBits = 20;
const bucketsOfAKind = 1 << bucketBits;
const kinds = { email: 0, address: bucketsOfAKind } as const;

/**
 * Slows down password guessing across replicas, per e-mail address and per client address. Each attempt
 * counts as a failure before the password is checked, and a correct password removes that failure. A thousand
 * concurrent guesses therefore gain nothing over sequential guesses. Unknown e-mail addresses are counted as
 * well. Addresses are hashed into 2^20 buckets and share the failures in their bucket. The hash is an HMAC,
 * so an attacker cannot construct a collision.
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

  /**
   * Counts an attempt. Throws `too_many_attempts` without revealing whether the e-mail address or the client
   * address is blocked.
   */
  async admit(email: string, clientAddress: string): Promise<void> {
    const now = new Date();
    // The client address is checked first, so that a blocked client cannot get other people's e-mail
    // addresses blocked.
    await this.#reserve(this.#bucketOf('address', clientAddress), this.#allowances.address, now);
    await this.#reserve(this.#bucketOf('email', email), this.#allowances.email, now);
  }

  /**
   * Records a correct password: clears all failures for the e-mail address, and removes one failure for the
   * client address.
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
