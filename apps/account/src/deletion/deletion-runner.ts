import type { Logger } from '@gateway/observability';
import type { AccountDatabase } from '../persistence/account-database.ts';

interface DeletedAccount {
  readonly accountId: string;
  /** The account's last epoch (change number). */
  readonly epoch: number;
  readonly requestedAt: Date;
}

/** The step in which one service deletes the data that it stores about an account. */
export interface DeletionStep {
  /** The service's name in the deletion receipt. The database stores this name, so it must never change. */
  readonly service: string;
  /**
   * Deletes as much account data as possible in one call, and returns whether the deletion is complete. The
   * step must be idempotent, because the call is repeated after a failure or crash. Throws an error if the
   * write fails.
   */
  forget(account: DeletedAccount): Promise<boolean>;
}

/**
 * Interval between searches for account deletions, in milliseconds. A search finds deletions that another
 * replica left unfinished, and deletions that are due for a retry.
 */
const everyMs = 2_000;
/**
 * How long a replica's claim on an account deletion is valid, in milliseconds. The replica that runs the
 * deletion renews its claim. If this replica stops, another replica claims the deletion after the claim has
 * expired.
 */
const claimMs = 8_000;
const claimEveryMs = 2_000;
/**
 * Delays before retries of a failed deletion step. The last delay is used for all later retries, because a
 * service may be unavailable for days.
 */
const restsMs = [1_000, 2_000, 5_000, 15_000, 60_000];

interface Claimed extends DeletedAccount {
  readonly id: string;
}

/**
 * Runs the steps of pending account deletions one at a time, for as long as the service runs. The database
 * contains the complete state of a deletion. If a process stops, another process resumes at the first
 * unfinished step.
 */
export class DeletionRunner {
  readonly #database: AccountDatabase;
  readonly #steps: readonly DeletionStep[];
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isStopping = false;

  constructor(database: AccountDatabase, steps: readonly DeletionStep[], log: Pick<Logger, 'info' | 'warn'>) {
    this.#database = database;
    this.#steps = steps;
    this.#log = log;
  }

  /** The services that take part in an account deletion, in order. */
  get services(): readonly string[] {
    return this.#steps.map(({ service }) => service);
  }

  start(): void {
    this.#timer ??= setInterval(() => this.wake(), everyMs).unref();
    this.wake();
  }

  /** Stops the runner, and waits for the current deletion step to finish. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Starts a search for pending deletions immediately, unless a search is already running. */
  wake(): void {
    if (this.#isStopping) return;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async #run(): Promise<void> {
    try {
      for (let claimed = await this.#claim(); claimed !== null; claimed = await this.#claim()) {
        await this.#advance(claimed);
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'database unavailable, account deletions wait');
    }
  }

  /** Claims the oldest unclaimed account deletion. Two replicas never claim the same deletion. */
  async #claim(): Promise<Claimed | null> {
    const { accountDeletion } = this.#database.acrossAccounts;
    while (!this.#isStopping) {
      const now = new Date();
      const found = await accountDeletion.findFirst({
        where: { completedAt: null, OR: [{ claimedUntil: null }, { claimedUntil: { lt: now } }] },
        orderBy: { requestedAt: 'asc' },
        select: { id: true, accountId: true, epoch: true, requestedAt: true, claimedUntil: true },
      });
      if (found === null) return null;
      const { claimedUntil, ...claimed } = found;
      const { count } = await accountDeletion.updateMany({
        where: { id: found.id, completedAt: null, claimedUntil },
        data: { claimedUntil: new Date(now.getTime() + claimMs) },
      });
      if (count === 1) return claimed;
    }
    return null;
  }

  async #advance(deletion: Claimed): Promise<void> {
    const { accountDeletion, accountDeletionStep } = this.#database.acrossAccounts;
    const pending = await accountDeletionStep.findMany({
      where: { deletionId: deletion.id, completedAt: null },
      orderBy: { position: 'asc' },
    });
    for (const { service, attempts } of pending) {
      const where = { deletionId_service: { deletionId: deletion.id, service } };
      if (!(await this.#forget(service, deletion))) {
        await accountDeletionStep.update({ where, data: { attempts: { increment: 1 } } });
        await this.#rest(deletion, attempts);
        return;
      }
      await accountDeletionStep.update({ where, data: { completedAt: new Date() } });
      await this.#rest(deletion, this.#isStopping ? 0 : null);
      if (this.#isStopping) return;
    }
    const completedAt = new Date();
    await accountDeletion.update({ where: { id: deletion.id }, data: { completedAt, claimedUntil: null } });
    this.#log.info({ deletion_id: deletion.id }, 'account deleted in all services');
  }

  /**
   * Schedules the next attempt at an account deletion after a failed step. Renews the replica's claim if no
   * step has failed.
   */
  async #rest({ id }: Claimed, failures: number | null): Promise<void> {
    const ms = failures === null ? claimMs : (restsMs[Math.min(failures, restsMs.length - 1)] ?? claimMs);
    const claimedUntil = new Date(Date.now() + ms);
    await this.#database.acrossAccounts.accountDeletion.update({ where: { id }, data: { claimedUntil } });
  }

  /**
   * Repeats a deletion step until its service reports that no data is left. Returns false if the step failed,
   * or if the runner was stopped.
   */
  async #forget(service: string, deletion: Claimed): Promise<boolean> {
    const step = this.#steps.find((known) => known.service === service);
    const claiming = setInterval(() => void this.#rest(deletion, null).catch(() => undefined), claimEveryMs);
    try {
      if (step === undefined) throw new Error(`unknown step ${service}`);
      while (!(await step.forget(deletion))) if (this.#isStopping) return false;
      return true;
    } catch (error) {
      const fields = { err: error, deletion_id: deletion.id, service };
      this.#log.warn(fields, 'step of an account deletion failed, retrying');
      return false;
    } finally {
      clearInterval(claiming);
    }
  }
}
