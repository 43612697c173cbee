import { GatewayError } from '@gateway/errors';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { listAccountsWithContents } from '../../contents/request-contents.ts';
import { Rounds } from '../rounds.ts';
import { dropEmptyPartitions, expireAccount, listAccountsWithOldRows, type Keeping } from './expire.ts';
import type { Logger } from '@gateway/observability';
import type { Partitions } from '../../persistence/partitions.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';

const everyMs = 3_600_000;
/** A random delay, so that workers that start together do not delete expired data at the same time. */
const startMs = 60_000;

export interface ExpireJobParts {
  readonly database: TelemetryDatabase;
  readonly partitions: Partitions;
  /** Returns the account's retention settings. Throws `not_found` for a deleted account. */
  readonly readKeeping: (accountId: string) => Promise<Keeping>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Deletes expired data for all accounts every hour. */
export class ExpireJob implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #parts: ExpireJobParts;
  readonly #rounds = new Rounds(async () => {
    await this.#expireAll();
    return everyMs;
  });

  constructor(parts: ExpireJobParts) {
    this.#parts = parts;
  }

  onApplicationBootstrap(): void {
    this.#rounds.start(startMs * (1 + Math.random()));
  }

  onModuleDestroy(): Promise<void> {
    return this.#rounds.close();
  }

  async #expireAll(): Promise<void> {
    const { database, partitions, logger } = this.#parts;
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
      if (dropped.length > 0) logger.info({ partitions: dropped }, 'dropped monthly partitions without rows');
    } catch (error) {
      logger.warn({ err: error }, 'expiry failed, retrying in an hour');
    }
  }

  async #expire(accountId: string): Promise<void> {
    const { database, readKeeping, logger } = this.#parts;
    try {
      const keeping = await readKeeping(accountId);
      const { rows, contents } = await expireAccount(database, accountId, keeping, Date.now());
      if (rows + contents > 0) {
        const { retentionDays } = keeping;
        logger.info(
          { account_id: accountId, rows, contents, retention_days: retentionDays },
          'expired rows deleted',
        );
      }
    } catch (error) {
      // Errors for a deleted account are ignored, because the deletion of the account also deletes the expired rows.
      if (error instanceof GatewayError && error.code === 'not_found') return;
      logger.warn({ err: error, account_id: accountId }, 'expiring the rows of an account failed');
    }
  }
}
