import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../domain/worker-context.ts';

const everyMs = 6 * 3_600_000;
const aheadMs = 31 * 86_400_000;

/** Makes the next month's partition before its first row comes. */
@Injectable()
export class PartitionUpkeepAdapter implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #context: WorkerContext;
  #timer: NodeJS.Timeout | null = null;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  onApplicationBootstrap(): void {
    void this.#ensure();
    this.#timer = setInterval(() => void this.#ensure(), everyMs);
  }

  onModuleDestroy(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  async #ensure(): Promise<void> {
    try {
      await this.#context.partitions.ensure([Date.now(), Date.now() + aheadMs]);
    } catch (error) {
      this.#context.logger.warn(
        { err: error },
        "the next month's partition could not be made; it is made on demand",
      );
    }
  }
}
