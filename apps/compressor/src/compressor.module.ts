import type { Logger, Metrics } from '@gateway/observability';
import { Module, type DynamicModule } from '@nestjs/common';
import { BlockMetrics } from './compress-blocks/block-metrics.ts';
import { CompressBlocksHandler } from './compress-blocks/compress-blocks.handler.ts';
import { ConversationStore } from './compress-blocks/conversation-store.ts';
import { instanceIdToken } from './compress-blocks/instance-id.ts';
import { CompressSchemasHandler } from './compress-schemas/compress-schemas.handler.ts';
import { CompressionMetrics } from './compress-schemas/compression-metrics.ts';
import { BackgroundCounter } from './count-tokens/background-counter.ts';
import { countStoreToken } from './count-tokens/count-store-token.ts';
import type { CountStore } from './count-tokens/count-store.port.ts';
import { ReadTokenCountsHandler } from './count-tokens/read-token-counts.handler.ts';
import type { OriginalStore } from './originals/original-store.port.ts';
import { originalStoreToken } from './originals/originals-token.ts';
import { RecallOriginalsHandler } from './recall-originals/recall-originals.handler.ts';

export interface CompressorParts {
  readonly instanceId: string;
  readonly metrics: Metrics;
  /** What remembered conversations may take of the memory, about. */
  readonly conversationBytesMax: number;
  readonly originals: OriginalStore;
  readonly counts: CountStore;
  readonly log: Logger;
}

@Module({})
export class CompressorModule {
  static create(parts: CompressorParts): DynamicModule {
    const { instanceId, metrics, conversationBytesMax, originals, counts, log } = parts;
    const blockMetrics = new BlockMetrics(metrics);
    const counter = new BackgroundCounter(counts, blockMetrics.observeExact.bind(blockMetrics), log);
    return {
      module: CompressorModule,
      controllers: [
        CompressSchemasHandler,
        CompressBlocksHandler,
        RecallOriginalsHandler,
        ReadTokenCountsHandler,
      ],
      providers: [
        { provide: CompressionMetrics, useValue: new CompressionMetrics(metrics) },
        { provide: BlockMetrics, useValue: blockMetrics },
        { provide: BackgroundCounter, useValue: counter },
        { provide: countStoreToken, useValue: counts },
        { provide: ConversationStore, useValue: new ConversationStore(conversationBytesMax) },
        { provide: originalStoreToken, useValue: originals },
        { provide: instanceIdToken, useValue: instanceId },
      ],
    };
  }
}
