import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '@gateway/observability';
import type { Partitions } from '../persistence/partitions.ts';

const everyMs = 6 * 3_600_000;
const aheadMs = 31 * 86_400_000;

export interface PartitionUpkeepParts {
  readonly partitions: Partitions;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Creates the next month's partition before its first row arrives. */
export class PartitionUpkeepJob implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #parts: PartitionUpkeepParts;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: PartitionUpkeepParts) {
    this.#parts = parts;
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
      await this.#parts.partitions.ensure([Date.now(), Date.now() + aheadMs]);
    } catch (error) {
      this.#parts.logger.warn(
        { err: error },
        "creating the next month's partition failed; it is created on demand",
      );
    }
  }
}
