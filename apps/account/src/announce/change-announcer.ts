import {
  accountChanged,
  accountEpochName,
  keyChanged,
  keyEpochName,
  loginSessionChanged,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { failpoint, type Logger } from '@gateway/observability';
import type { AccountDatabase } from '../persistence/account-database.ts';

/** Stores the epochs (change numbers) of accounts and keys, for gateways that miss a broadcast. */
export interface EpochBoard {
  /**
   * Stores the epoch (number) of a change. A negative epoch marks a revoked key or a deleted account. The
   * method returns immediately and never throws, because failed writes are retried in the background.
   */
  write(name: string, epoch: number): void;
}

/** An API key that was created, changed or revoked, with the epoch (change number) of the change. */
export interface KeyChange {
  readonly accountId: string;
  readonly keyId: string;
  readonly epoch: number;
  /** Whether the key was revoked. A revocation cannot be undone. */
  readonly revoked?: boolean;
}

/**
 * A change that affects every key of an account, for example a new policy, a new preference, or the
 * account's deletion.
 */
export interface AccountChange {
  readonly accountId: string;
  readonly epoch: number;
  /** Whether the account has been deleted. A deletion cannot be undone. */
  readonly deleted?: boolean;
}

/**
 * The user that a broadcast is about. The user's account has changed, or the user's login sessions have ended.
 */
export interface LoginSessionChange {
  readonly issuer: string;
  readonly subject: string;
}

/** Milliseconds between searches for changes that were committed but never announced. */
const sweepMs = 1_000;
/** How long announced epochs are collected before they are stored, in milliseconds. */
const markMs = 250;
/** Maximum number of accounts per search. The next search finds the remaining accounts. */
const sweptMax = 100;

interface ChangeAnnouncerParts {
  readonly messaging: Pick<Messaging, 'broadcast' | 'connected' | 'flush'>;
  readonly epochs: EpochBoard;
  readonly database: AccountDatabase;
  readonly logger: Pick<Logger, 'warn'>;
}

interface UnannouncedAccount {
  readonly id: string;
  readonly epoch: number;
  readonly announcedEpoch: number;
}

/**
 * Announces changes, so that gateways drop stale cache entries. Changes to keys and accounts are broadcast. The
 * announcer also writes the epoch (number) of each change to Redis, for gateways that miss the broadcast. Callers
 * must call the announcer only after the transaction has committed. Each account's row contains the last announced
 * epoch, because a process can be killed between the commit and the announcement. A periodic sweep on every replica
 * finds and repeats lost announcements.
 */
export class ChangeAnnouncer {
  readonly #messaging: ChangeAnnouncerParts['messaging'];
  readonly #epochs: EpochBoard;
  readonly #database: AccountDatabase;
  readonly #logger: Pick<Logger, 'warn'>;
  /**
   * The accounts that the last sweep found, each with its last announced epoch. A sweep repeats announcements
   * only if this epoch is unchanged. Otherwise, another process may still be announcing the changes.
   */
  #lastSwept: ReadonlyMap<string, number> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;
  #isStopping = false;
  /** For each account, the announced epochs that have not been stored yet. */
  readonly #announced = new Map<string, number[]>();
  #markTimer: NodeJS.Timeout | undefined;
  #marking: Promise<void> | undefined;

  constructor({ messaging, epochs, database, logger }: ChangeAnnouncerParts) {
    this.#messaging = messaging;
    this.#epochs = epochs;
    this.#database = database;
    this.#logger = logger;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#sweepSoon(), sweepMs).unref();
  }

  /** Stops the periodic sweep, stores the announced epochs, and waits for the running queries. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#markTimer);
    this.#isStopping = true;
    await Promise.all([this.#sweeping, this.#marking]);
    await this.#storeMarks();
  }

  announceKeyChange({ accountId, keyId, epoch, revoked = false }: KeyChange): void {
    FAILPOINT: failpoint('commit-announce');
    this.#messaging.broadcast(keyChanged, { accountId, keyId, epoch, revoked });
    this.#epochs.write(keyEpochName(accountId, keyId), revoked ? -epoch : epoch);
    this.#mark(accountId, epoch);
  }

  announceAccountChange({ accountId, epoch, deleted = false }: AccountChange): void {
    this.#messaging.broadcast(accountChanged, { accountId, epoch, deleted });
    this.#epochs.write(accountEpochName(accountId), deleted ? -epoch : epoch);
    if (!deleted) this.#mark(accountId, epoch);
  }

  announceLoginSessionChange(change: LoginSessionChange): void {
    this.#messaging.broadcast(loginSessionChanged, change);
  }

  /**
   * Records that a change was announced. Changes that are announced within a short time are recorded
   * together.
   */
  #mark(accountId: string, epoch: number): void {
    const epochs = this.#announced.get(accountId);
    if (epochs) epochs.push(epoch);
    else this.#announced.set(accountId, [epoch]);
    this.#markSoon();
  }

  #markSoon(): void {
    if (this.#isStopping) return;
    this.#markTimer ??= setTimeout(() => {
      this.#marking = this.#storeMarks();
    }, markMs).unref();
  }

  /**
   * Stores the announced epochs. Only one query runs at a time, because each query may wait for an unfinished change
   * of the account. An epoch is stored only after the previous epoch, so that no change is skipped. If a query fails
   * or is skipped, the sweep announces the changes again.
   */
  async #storeMarks(): Promise<void> {
    try {
      const announced = [...this.#announced];
      this.#announced.clear();
      await this.#messaging.flush();
      if (!this.#messaging.connected) return;
      for (const [accountId, epochs] of announced) {
        for (const { from, to } of findRuns(epochs)) {
          await this.#database.acrossAccounts.$executeRaw`
            UPDATE accounts SET announced_epoch = ${to}
            WHERE id = ${accountId}::uuid AND announced_epoch BETWEEN ${from - 1} AND ${to - 1}`;
        }
      }
    } catch (error) {
      this.#logger.warn({ err: error }, 'announced changes could not be recorded, announcing them again');
    } finally {
      this.#markTimer = undefined;
      if (this.#announced.size > 0) this.#markSoon();
    }
  }

  #sweepSoon(): void {
    if (!this.#messaging.connected) return;
    this.#sweeping ??= this.#sweep()
      .catch((error: unknown) => this.#noteFailure(error))
      .finally(() => (this.#sweeping = undefined));
  }

  async #sweep(): Promise<void> {
    const found = await this.#database.acrossAccounts.$queryRaw<UnannouncedAccount[]>`
      SELECT id::text, epoch, announced_epoch AS "announcedEpoch" FROM accounts
      WHERE announced_epoch < epoch ORDER BY id LIMIT ${sweptMax}`;
    const lastSwept = this.#lastSwept;
    this.#lastSwept = new Map(found.map(({ id, announcedEpoch }) => [id, announcedEpoch]));
    for (const account of found) {
      if (lastSwept.get(account.id) !== account.announcedEpoch) continue;
      // A failed announcement is only recorded, so one locked account row does not stop the announcements for other accounts.
      await this.#repeat(account).catch((error: unknown) => this.#noteFailure(error));
    }
  }

  #noteFailure(error: unknown): void {
    this.#logger.warn({ err: error }, 'search for unannounced changes failed');
  }

  /** Announces all changes of an account since its last announced epoch. */
  async #repeat({ id: accountId, epoch, announcedEpoch }: UnannouncedAccount): Promise<void> {
    const revoked = await this.#database.forAccount(accountId).apiKey.findMany({
      where: { revokedAt: { not: null }, epoch: { gt: announcedEpoch } },
      select: { id: true, epoch: true },
    });
    for (const key of revoked) {
      this.announceKeyChange({ accountId, keyId: key.id, epoch: key.epoch, revoked: true });
    }
    this.announceAccountChange({ accountId, epoch });
    await this.#messaging.flush();
    if (!this.#messaging.connected) return;
    await this.#database.acrossAccounts.$executeRaw`
      UPDATE accounts SET announced_epoch = greatest(announced_epoch, ${epoch}) WHERE id = ${accountId}::uuid`;
  }
}

/** Merges epochs into runs of consecutive epochs, in ascending order. */
function findRuns(epochs: readonly number[]): readonly { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  for (const epoch of epochs.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && epoch <= last.to + 1) last.to = epoch;
    else runs.push({ from: epoch, to: epoch });
  }
  return runs;
}
