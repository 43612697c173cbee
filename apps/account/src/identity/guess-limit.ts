import { createHmac } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { AccountDatabase } from '../persistence/account-database.ts';

/** How many failures are free, and how long those after them block: each twice as long as the one before, up to the most. */
interface GuessAllowance {
  readonly free: number;
  readonly firstBlockMs: number;
  readonly longestBlockMs: number;
}

/** After so long without a failure they are forgotten. */
export const forgottenAfterMs = 60 * 60 * 1000;

const bucketBits = 20;
const bucketsOfAKind = 1 << bucketBits;
const kinds = { email: 0, address: bucketsOfAKind } as const;

/**
 * Slows guessing down, by e-mail address and by the address that the guesses come from, across replicas. An attempt counts as
 * a failure before the password is looked at and is taken back when it was right, so that a thousand guesses at once are
 * no more than one after the other. An address that nobody has is counted like any other. Two that share one of the 2^20
 * buckets share their failures, which the bucket's key (an HMAC) keeps from being arranged.
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

  /** Counts an attempt. Throws `too_many_attempts` when there were too many, without a word on which of the two it was. */
  async admit(email: string, clientAddress: string): Promise<void> {
    const now = new Date();
    // The caller's address first: one that is blocked cannot go on to block people.
    await this.#reserve(this.#bucketOf('address', clientAddress), this.#allowances.address, now);
    await this.#reserve(this.#bucketOf('email', email), this.#allowances.email, now);
  }

  /** The attempt was right: the e-mail address's failures are forgotten, and the caller's are one fewer. */
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

/** Counts an attempt at a password before it is looked at. Throws `too_many_attempts`. */
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
