import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Rounds } from '../rounds.ts';
import { calibrateAccount, type CalibrateContext, type RecallChange } from './calibrate.ts';
import type { Counter, Logger, Metrics } from '@gateway/observability';

const restMs = 2_000;
/** Maximum share of its time that the worker spends on calibration, regardless of the number of accounts. */
const busyShare = 0.05;
/**
 * Number of days of shadow requests from which the worker finds accounts to calibrate on startup. The worker
 * that wrote a shadow request may have stopped before the calibration.
 */
const startDays = 1;

export interface CalibrateJobParts extends Omit<CalibrateContext, 'onRecallChange'> {
  /** Accounts with shadow requests or recoveries since their last calibration. */
  readonly shadowAccounts: Set<string>;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly metrics: Metrics;
}

/** Calibrates the accounts with shadow requests or recoveries since the last calibration round. */
export class CalibrateJob implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #parts: CalibrateJobParts;
  readonly #context: CalibrateContext;
  readonly #rounds = new Rounds(() => this.#calibrateAll());

  constructor(parts: CalibrateJobParts) {
    this.#parts = parts;
    const falls = createRecallFalls(parts.metrics);
    this.#context = { ...parts, onRecallChange: (change) => reportRecallChange(change, falls, parts.logger) };
  }

  onApplicationBootstrap(): void {
    void this.#findAccounts();
    this.#rounds.start(restMs);
  }

  onModuleDestroy(): Promise<void> {
    return this.#rounds.close();
  }

  /** Returns the number of milliseconds until the next calibration round. */
  async #calibrateAll(): Promise<number> {
    const { shadowAccounts, logger } = this.#parts;
    const startedAt = performance.now();
    for (const accountId of [...shadowAccounts]) {
      if (this.#rounds.isClosed) break;
      shadowAccounts.delete(accountId);
      try {
        await calibrateAccount(this.#context, accountId);
      } catch (error) {
        logger.warn(
          { err: error, account_id: accountId },
          'calibration failed; the next shadow request triggers it again',
        );
      }
    }
    return Math.max(restMs, (performance.now() - startedAt) / busyShare);
  }

  async #findAccounts(): Promise<void> {
    const { database, shadowAccounts, logger } = this.#parts;
    try {
      const rows = await database.acrossAccounts.$queryRawUnsafe<{ account_id: string }[]>(
        `SELECT DISTINCT account_id::text FROM request_log
         WHERE needed_k IS NOT NULL AND created_at > now() - interval '${startDays} days'`,
      );
      for (const { account_id } of rows) shadowAccounts.add(account_id);
    } catch (error) {
      logger.warn({ err: error }, 'listing accounts with shadow requests failed');
    }
  }
}

function createRecallFalls(metrics: Metrics): Counter<never> {
  const falls = metrics.counter({
    name: 'recall_falls_total',
    help: 'Confirmed falls of recall, by bucket of an account. All tools are sent until new conversations support a K.',
  });
  falls.inc({}, 0);
  return falls;
}

function reportRecallChange(
  { accountId, bucket, kind, since }: RecallChange,
  falls: Counter<never>,
  logger: Pick<Logger, 'warn' | 'info'>,
): void {
  const facts = { account_id: accountId, bucket, since };
  if (kind === 'fell') {
    falls.inc({});
    logger.warn(facts, 'recall fell, sending all tools until new conversations support a K');
  } else if (kind === 'recoveries_rose') {
    logger.info(facts, 'pruned tools are recovered more often, testing recall again');
  } else {
    logger.info(facts, 'the tool list, the model or the ranker changed, testing recall again');
  }
}
