import { createHmac } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { AccountDatabase } from '../persistence/account-database.ts';

/**
 * The limits of one sign-in budget. The limits are the number of failed sign-ins before the first block, and the
 * length of each block. Each block of sign-in attempts lasts twice as long as the previous block, up to the maximum.
 */
interface GuessAllowance {
  readonly free: number;
  readonly firstBlockMs: number;
  readonly longestBlockMs: number;
}

const dayMs = 24 * 60 * 60 * 1000;
/** Milliseconds after the last failed sign-in until all failures are forgotten. */
export const forgottenAfterMs = dayMs;

/**
 * The block lengths that most sign-in budgets use. Because the block length doubles, a budget of n failures
 * admits at most n + 100 failures in 24 hours.
 */
const doubling = { firstBlockMs: 30_000, longestBlockMs: 15 * 60_000 } as const;

/**
 * The budgets for sign-in attempts. The scheme follows OWASP's "Slow Down Online Guessing Attacks with Device
 * Cookies". A browser that has signed in before has its own budget. Unknown browsers share common budgets.
 * The guide docs/guides/sign-in.md lists the resulting maximum numbers of guesses.
 */
export const guessAllowances = {
  /** Sign-in attempts with one email address from all unknown devices. */
  email: { free: 20, ...doubling },
  /**
   * Sign-in attempts from one client address with any email address. Several people may share a client
   * address.
   */
  address: { free: 50, ...doubling },
  /** Sign-in attempts from one known device of a person. */
  device: { free: 10, ...doubling },
  /** Attempts to enter the current password for a password change, per login session. */
  session: { free: 5, ...doubling },
  /** Sign-in attempts from one client address with one email address. */
  pair: { free: 5, ...doubling },
  /**
   * Sign-in attempts from one network (IPv4 /24, IPv6 /48) with email addresses that have
   * used up their budgets.
   */
  network: { free: 1, firstBlockMs: dayMs, longestBlockMs: dayMs },
  /** Sign-in attempts with one email address after its budget is used up, from networks with budget left. */
  newcomers: { free: 200, ...doubling },
  /**
   * Emails of one kind to one email address. The longest block is shorter than the lifetime of an emailed link.
   * A person therefore always has a valid link, even if strangers request emails to the person's address.
   */
  mail: { free: 3, firstBlockMs: 60_000, longestBlockMs: 45 * 60_000 },
  /** Emails that were requested from one client address. */
  mailClient: { free: 10, ...doubling },
} as const satisfies Record<string, GuessAllowance>;

type GuessKind = keyof typeof guessAllowances;

const bucketsOfAKind = 1 << 20;
const kinds = Object.keys(guessAllowances);

/**
 * A sign-in attempt. The field `deviceId` is null unless the browser has a valid device token for the person.
 */
export interface Guess {
  readonly email: string;
  readonly clientAddress: string;
  readonly deviceId: string | null;
}

/** An admitted sign-in attempt. The attempt counts as a failure until its password turns out to be correct. */
export interface AdmittedGuess {
  /** Failure counters that a correct password resets. */
  readonly own: readonly number[];
  /** Failure counters that a correct password decrements by one. */
  readonly shared: readonly number[];
  /** The client's network, or null if a wrong password does not count against the network. */
  readonly network: string | null;
}

/**
 * Slows down password guessing across all replicas. Each sign-in attempt counts as a failure before the
 * password is checked, and a correct password cancels the failure. Concurrent guesses have no advantage
 * over sequential guesses. Attempts with unknown email addresses are also counted. Addresses, networks and
 * devices are hashed into 2^20 counters of each kind. Equal hashes share a counter. The hashes are HMACs,
 * so an attacker cannot produce a collision.
 */
export class GuessLimit {
  readonly #database: AccountDatabase;
  readonly #key: Buffer;
  readonly #now: () => number;

  /** The parameter `key` must have 32 bytes. The function `now` returns milliseconds since 1970. */
  constructor(database: AccountDatabase, key: Buffer, now: () => number = Date.now) {
    this.#database = database;
    this.#key = key;
    this.#now = now;
  }

  /**
   * Counts a sign-in attempt. Throws `too_many_attempts` without revealing which budget is used up. A known
   * device with a used-up budget is treated like an unknown device.
   */
  async admit({ email, clientAddress, deviceId }: Guess): Promise<AdmittedGuess> {
    if (deviceId !== null && (await this.#reserve('device', deviceId)) === null)
      return { own: [this.#bucketOf('device', deviceId)], shared: [], network: null };
    // The address budget is checked first, so that a blocked client cannot use up the budgets of email addresses.
    const pair = `${clientAddress} ${email}`;
    await this.require('address', clientAddress);
    await this.require('pair', pair);
    const own = [this.#bucketOf('pair', pair)];
    const address = this.#bucketOf('address', clientAddress);
    const network = networkOf(clientAddress);
    const waitMs = await this.#reserve('email', email);
    if (waitMs === null) return { own, shared: [address, this.#bucketOf('email', email)], network };
    const reserved = await this.#admitNewcomer(email, network, waitMs);
    return { own, shared: [address, ...reserved], network: null };
  }

  /** Counts an attempt against the given budget. Throws `too_many_attempts` if the budget is used up. */
  async require(kind: GuessKind, value: string): Promise<AdmittedGuess> {
    const waitMs = await this.#reserve(kind, value);
    if (waitMs !== null) throw tooMany(waitMs);
    return { own: [this.#bucketOf(kind, value)], shared: [], network: null };
  }

  /** Counts an attempt against the given budget. Returns false if the budget is used up. */
  async allows(kind: GuessKind, value: string): Promise<boolean> {
    return (await this.#reserve(kind, value)) === null;
  }

  /** Records that an admitted sign-in attempt had the correct password. */
  async absolve({ own, shared }: AdmittedGuess): Promise<void> {
    await this.#database.acrossAccounts.loginGuesses.deleteMany({ where: { bucket: { in: [...own] } } });
    await this.#giveBack(shared);
  }

  /**
   * Records that an admitted sign-in attempt had a wrong password. The attempt already counted as a failure when it
   * was admitted.
   */
  async blame({ network }: AdmittedGuess): Promise<void> {
    if (network !== null) await this.#reserve('network', network);
  }

  /**
   * Decides about a sign-in attempt after the budget of its email address is used up. A network without a failed
   * sign-in in the last 24 hours may still make one attempt. An attacker on another network cannot lock out
   * a person with a new device.
   */
  async #admitNewcomer(email: string, network: string, waitMs: number): Promise<number[]> {
    if ((await this.#reserve('network', network)) !== null) throw tooMany(waitMs);
    const newcomersWaitMs = await this.#reserve('newcomers', email);
    const bucket = this.#bucketOf('network', network);
    if (newcomersWaitMs === null) return [bucket, this.#bucketOf('newcomers', email)];
    await this.#giveBack([bucket]);
    throw tooMany(Math.min(waitMs, newcomersWaitMs));
  }

  async #giveBack(buckets: readonly number[]): Promise<void> {
    for (const bucket of buckets)
      await this.#database.acrossAccounts.loginGuesses.updateMany({
        where: { bucket, failures: { gt: 0 } },
        data: { failures: { decrement: 1 }, blockedUntil: null },
      });
  }

  /**
   * Counts a failed sign-in. Returns null if the attempt is admitted, otherwise the milliseconds until the
   * next attempt is admitted.
   */
  async #reserve(kind: GuessKind, value: string): Promise<number | null> {
    const { free, firstBlockMs, longestBlockMs } = guessAllowances[kind];
    const bucket = this.#bucketOf(kind, value);
    const now = new Date(this.#now());
    const forgotten = new Date(now.getTime() - forgottenAfterMs);
    const counted = await this.#database.acrossAccounts.$queryRaw<object[]>`
      INSERT INTO login_guesses AS known (bucket, failures, last_at, blocked_until)
      VALUES (${bucket}, 1, ${now}, CASE WHEN ${free}::int <= 1
        THEN ${now}::timestamptz + ${firstBlockMs}::float8 * interval '1 millisecond' END)
      ON CONFLICT (bucket) DO UPDATE SET
        failures = CASE WHEN known.last_at < ${forgotten} THEN 1 ELSE known.failures + 1 END,
        last_at = ${now},
        blocked_until = CASE
          WHEN (CASE WHEN known.last_at < ${forgotten} THEN 1 ELSE known.failures + 1 END) >= ${free}::int
          THEN ${now}::timestamptz + LEAST(
            ${firstBlockMs}::float8 * power(2, LEAST(GREATEST(
              CASE WHEN known.last_at < ${forgotten} THEN 0 ELSE known.failures + 1 - ${free}::int END, 0), 30)),
            ${longestBlockMs}::float8
          ) * interval '1 millisecond' END
      WHERE known.blocked_until IS NULL OR known.blocked_until <= ${now}
      RETURNING failures`;
    if (counted.length > 0) return null;
    const row = await this.#database.acrossAccounts.loginGuesses.findUnique({ where: { bucket } });
    return Math.max(1_000, (row?.blockedUntil?.getTime() ?? now.getTime()) - now.getTime());
  }

  #bucketOf(kind: GuessKind, value: string): number {
    const digest = createHmac('sha256', this.#key).update(`${kind}:${value}`).digest();
    return kinds.indexOf(kind) * bucketsOfAKind + (digest.readUInt32BE(0) % bucketsOfAKind);
  }
}

function tooMany(waitMs: number): GatewayError {
  return new GatewayError('too_many_attempts', { retryAfterMs: waitMs });
}

/**
 * Returns the network of a client address, in the format that the edge gateway uses. The network is the /24 of an IPv4
 * address, or the /48 that contains an IPv6 /64. A site or customer usually has at least a network of this size.
 */
export function networkOf(clientAddress: string): string {
  const v4 = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/.exec(clientAddress);
  if (v4) return `${v4[1] ?? ''}.0/24`;
  const v6 = /^([0-9a-f]{12})[0-9a-f]{4}\/64$/.exec(clientAddress);
  return v6 ? `${v6[1] ?? ''}/48` : clientAddress;
}

/** Admits a sign-in attempt before its password is checked, and counts blocked attempts in the metrics. */
export async function admitGuess(
  { guesses, countEvent }: { readonly guesses: GuessLimit; readonly countEvent: (event: 'blocked') => void },
  admit: (guesses: GuessLimit) => Promise<AdmittedGuess>,
): Promise<AdmittedGuess> {
  try {
    return await admit(guesses);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'too_many_attempts') countEvent('blocked');
    throw error;
  }
}
