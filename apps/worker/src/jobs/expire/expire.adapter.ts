import { GatewayError } from '@gateway/errors';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { listAccountsWithContents } from '../../persistence/request-contents.ts';
import { Rounds } from '../rounds.ts';
import { dropEmptyPartitions, expireAccount, listAccountsWithOldRows } from './expire.ts';

const everyMs = 3_600_000;
/** What started together does not expire together, and a start has other things to do first. */
const startMs = 60_000;

/** Deletes by the hour what accounts keep no longer. */
@Injectable()
export class ExpireAdapter implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #context: WorkerContext;
  readonly #rounds = new Rounds(async () => {
    await this.#expireAll();
    return everyMs;
  });

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  onApplicationBootstrap(): void {
    this.#rounds.start(startMs * (1 + Math.random()));
  }

  onModuleDestroy(): Promise<void> {
    return this.#rounds.close();
  }

  async #expireAll(): Promise<void> {
    const { database, partitions, logger } = this.#context;
    try {
      const [withRows, withContents] = await Promise.all([
        listAccountsWithOldRows(database, Date.now()),
        listAccountsWithContents(database),
      ]);
      for (const accountId of new Set([...withRows, ...withContents])) {
        if (this.#rounds.isClosed) return;
        await this.#expire(accountId);
      }
      const dropped = await dropEmptyPartitions(database, partitions, Date.now());
      if (dropped.length > 0) logger.info({ partitions: dropped }, 'months without rows were dropped');
    } catch (error) {
      logger.warn({ err: error }, 'expiring failed; it is tried again in an hour');
    }
  }

  async #expire(accountId: string): Promise<void> {
    const { database, readKeeping, logger } = this.#context;
    try {
      const keeping = await readKeeping(accountId);
      const { rows, contents } = await expireAccount(database, accountId, keeping, Date.now());
      if (rows + contents > 0) {
        const { retentionDays } = keeping;
        logger.info({ account_id: accountId, rows, contents, retention_days: retentionDays }, 'rows expired');
      }
    } catch (error) {
      // An account that is gone is forgotten by its deletion, row by row.
      if (error instanceof GatewayError && error.code === 'not_found') return;
      logger.warn({ err: error, account_id: accountId }, 'an account’s rows were not expired');
    }
  }
}
