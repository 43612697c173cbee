import type { Logger } from '@gateway/observability';
import type { AccountDatabase } from '../persistence/account-database.ts';
import type { DeletionStep } from './deletion-step.port.ts';

/** How often deletions are looked for that somebody else left, or that rested after a failure. */
const everyMs = 2_000;
/** A replica that dies leaves its deletion to the others after this long; one that is at it claims it again and again. */
const claimMs = 8_000;
const claimEveryMs = 2_000;
/** Rests after failures, the last one for good: a service may be away for days. */
const restsMs = [1_000, 2_000, 5_000, 15_000, 60_000];

interface Claimed {
  readonly id: string;
  readonly accountId: string;
  readonly epoch: number;
}

/**
 * Takes deletions through their steps, one after the other, for as long as the service runs. Everything it knows is in the
 * database: a process that dies at any point is followed by another, which begins with the first step that is not done.
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

  /** The services that have a step, in order. */
  get services(): readonly string[] {
    return this.#steps.map(({ service }) => service);
  }

  start(): void {
    this.#timer ??= setInterval(() => this.wake(), everyMs).unref();
    this.wake();
  }

  /** Lets the step that is under way end. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Looks for work now. */
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
      this.#log.warn({ err: error }, 'deletions of accounts wait: the database does not answer');
    }
  }

  /** The oldest deletion that nobody is at. Two replicas never get the same one. */
  async #claim(): Promise<Claimed | null> {
    const { accountDeletion } = this.#database.acrossAccounts;
    while (!this.#isStopping) {
      const now = new Date();
      const found = await accountDeletion.findFirst({
        where: { completedAt: null, OR: [{ claimedUntil: null }, { claimedUntil: { lt: now } }] },
        orderBy: { requestedAt: 'asc' },
        select: { id: true, accountId: true, epoch: true, claimedUntil: true },
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
    this.#log.info({ deletion_id: deletion.id }, 'an account is deleted everywhere');
  }

  /** Lets go of a deletion for a while after a failure; holds it on when there was none. */
  async #rest({ id }: Claimed, failures: number | null): Promise<void> {
    const ms = failures === null ? claimMs : (restsMs[Math.min(failures, restsMs.length - 1)] ?? claimMs);
    const claimedUntil = new Date(Date.now() + ms);
    await this.#database.acrossAccounts.accountDeletion.update({ where: { id }, data: { claimedUntil } });
  }

  /** Asks until it was all, and says whether it came to that. */
  async #forget(service: string, deletion: Claimed): Promise<boolean> {
    const step = this.#steps.find((known) => known.service === service);
    const claiming = setInterval(() => void this.#rest(deletion, null).catch(() => undefined), claimEveryMs);
    try {
      if (step === undefined) throw new Error(`nothing is known of the step ${service}`);
      while (!(await step.forget(deletion))) if (this.#isStopping) return false;
      return true;
    } catch (error) {
      const fields = { err: error, deletion_id: deletion.id, service };
      this.#log.warn(fields, 'a step of an account’s deletion failed; it is tried again');
      return false;
    } finally {
      clearInterval(claiming);
    }
  }
}
