import type { Metrics } from '@gateway/observability';
import { Module, type DynamicModule } from '@nestjs/common';
import { BlockMetrics } from './compress-blocks/block-metrics.ts';
import { CompressBlocksHandler } from './compress-blocks/compress-blocks.handler.ts';
import { ConversationStore } from './compress-blocks/conversation-store.ts';
import { instanceIdToken } from './compress-blocks/instance-id.ts';
import { CompressSchemasHandler } from './compress-schemas/compress-schemas.handler.ts';
import { CompressionMetrics } from './compress-schemas/compression-metrics.ts';
import type { OriginalStore } from './originals/original-store.port.ts';
import { originalStoreToken } from './originals/originals-token.ts';
import { RecallOriginalsHandler } from './recall-originals/recall-originals.handler.ts';

export interface CompressorParts {
  readonly instanceId: string;
  readonly metrics: Metrics;
  /** What remembered conversations may take of the memory, about. */
  readonly conversationBytesMax: number;
  readonly originals: OriginalStore;
}

@Module({})
export class CompressorModule {
  static create({ instanceId, metrics, conversationBytesMax, originals }: CompressorParts): DynamicModule {
    return {
      module: CompressorModule,
      controllers: [CompressSchemasHandler, CompressBlocksHandler, RecallOriginalsHandler],
      providers: [
        { provide: CompressionMetrics, useValue: new CompressionMetrics(metrics) },
        { provide: BlockMetrics, useValue: new BlockMetrics(metrics) },
        { provide: ConversationStore, useValue: new ConversationStore(conversationBytesMax) },
        { provide: originalStoreToken, useValue: originals },
        { provide: instanceIdToken, useValue: instanceId },
      ],
    };
  }
}
