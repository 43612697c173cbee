import { ledgerEntryBatch, ledgerEntryBatchOptions, type LedgerEntryBatch } from '@gateway/contracts';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Queue } from 'bullmq';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { Rounds } from '../rounds.ts';
import { forgetShipped, shipLedger, type OwedBatch } from './ship-ledger.ts';

const everyMs = 250;
/** While the database or the queue is away. */
const awayMs = 2_000;

/** Ships what is owed to billing's ledger, for as long as the application runs. */
@Injectable()
export class ShipLedgerAdapter implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #context: WorkerContext;
  readonly #queue: Queue<LedgerEntryBatch>;
  readonly #rounds = new Rounds(() => this.#ship());

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
    this.#queue = new Queue(ledgerEntryBatch.queue, { connection: context.queueRedis });
    // The connection's own listener reports what is wrong with Redis.
    this.#queue.on('error', () => undefined);
    context.onLedgerCommitted((batchIds) => void this.#forget(batchIds));
  }

  onApplicationBootstrap(): void {
    this.#rounds.start(everyMs);
  }

  async onModuleDestroy(): Promise<void> {
    await this.#rounds.close();
    await this.#queue.close();
  }

  async #ship(): Promise<number> {
    const { database, queueRedis, logger } = this.#context;
    // Commands would wait for Redis to come back, and the end of this process with them.
    if (queueRedis.status !== 'ready') return awayMs;
    try {
      await shipLedger(database, (batches) => this.#add(batches));
      return everyMs;
    } catch (error) {
      logger.warn({ err: error }, 'what is owed to the ledger was not queued; it is tried again');
      return awayMs;
    }
  }

  async #add(batches: readonly OwedBatch[]): Promise<void> {
    await this.#queue.addBulk(
      batches.map(({ id, entries }) => ({
        name: ledgerEntryBatch.name,
        data: { entries },
        opts: { ...ledgerEntryBatchOptions, jobId: id },
      })),
    );
  }

  async #forget(batchIds: readonly string[]): Promise<void> {
    try {
      await forgetShipped(this.#context.database, batchIds);
    } catch (error) {
      // They are queued again in time, and reported again.
      this.#context.logger.warn({ err: error }, 'batches of the ledger are kept longer than they need be');
    }
  }
}
