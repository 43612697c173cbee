import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { Rounds } from '../rounds.ts';
import { calibrateAccount } from './calibrate.ts';

const restMs = 2_000;
/** A round takes at most this share of the time, however many accounts there are. */
const busyShare = 0.05;
/** Accounts of the last day are looked at when the worker starts: the one that wrote their rows may be gone. */
const startDays = 1;

/** Calibrates the accounts that had shadow requests since it was last looked. */
@Injectable()
export class CalibrateAdapter implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #context: WorkerContext;
  readonly #rounds = new Rounds(() => this.#calibrateAll());

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  onApplicationBootstrap(): void {
    void this.#findAccounts();
    this.#rounds.start(restMs);
  }

  onModuleDestroy(): Promise<void> {
    return this.#rounds.close();
  }

  /** Answers how long to rest. */
  async #calibrateAll(): Promise<number> {
    const { shadowAccounts, logger } = this.#context;
    const startedAt = performance.now();
    for (const accountId of [...shadowAccounts]) {
      if (this.#rounds.isClosed) break;
      shadowAccounts.delete(accountId);
      try {
        await calibrateAccount(this.#context, accountId);
      } catch (error) {
        logger.warn(
          { err: error, account_id: accountId },
          'calibrating failed; the next shadow request asks again',
        );
      }
    }
    return Math.max(restMs, (performance.now() - startedAt) / busyShare);
  }

  async #findAccounts(): Promise<void> {
    const { database, shadowAccounts, logger } = this.#context;
    try {
      const rows = await database.acrossAccounts.$queryRawUnsafe<{ account_id: string }[]>(
        `SELECT DISTINCT account_id::text FROM request_log
         WHERE needed_k IS NOT NULL AND created_at > now() - interval '${startDays} days'`,
      );
      for (const { account_id } of rows) shadowAccounts.add(account_id);
    } catch (error) {
      logger.warn({ err: error }, 'accounts with shadow requests could not be listed');
    }
  }
}
