import type { ServiceParts } from '@gateway/messaging';
import { Module, type DynamicModule } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { ConversationStore, INSTANCE_ID } from './compress-blocks/compress-blocks.ts';
import { BlockMetrics, SchemaMetrics } from './compressor-metrics.ts';
import { ContextController } from './context.controller.ts';
import { BackgroundCounter } from './count-tokens/background-counter.ts';
import { COUNT_STORE, type CountStore } from './count-tokens/count-store.port.ts';
import { ACCOUNT_KEYS_REDIS, ForgetAccountController } from './forget-account.controller.ts';
import { ORIGINAL_STORE, type OriginalStore } from './originals/original-store.port.ts';
import { SchemasController } from './schemas.controller.ts';

export interface CompressorParts extends Pick<ServiceParts, 'logger' | 'metrics'> {
  readonly instanceId: string;
  /** Approximate memory for remembered conversations, in bytes. */
  readonly conversationBytesMax: number;
  readonly originals: OriginalStore;
  readonly counts: CountStore;
  /** The server with the originals and counts of all accounts. */
  readonly redis: Pick<Redis, 'scan' | 'unlink'>;
}

@Module({})
export class CompressorModule {
  static forRoot(parts: CompressorParts): DynamicModule {
    const { instanceId, metrics, conversationBytesMax, originals, counts, redis, logger } = parts;
    return {
      module: CompressorModule,
      controllers: [SchemasController, ContextController, ForgetAccountController],
      providers: [
        { provide: INSTANCE_ID, useValue: instanceId },
        { provide: ORIGINAL_STORE, useValue: originals },
        { provide: COUNT_STORE, useValue: counts },
        { provide: ACCOUNT_KEYS_REDIS, useValue: redis },
        { provide: SchemaMetrics, useFactory: () => new SchemaMetrics(metrics) },
        { provide: BlockMetrics, useFactory: () => new BlockMetrics(metrics) },
        { provide: ConversationStore, useFactory: () => new ConversationStore(conversationBytesMax) },
        {
          provide: BackgroundCounter,
          inject: [COUNT_STORE, BlockMetrics],
          useFactory: (store: CountStore, blockMetrics: BlockMetrics) =>
            new BackgroundCounter(store, blockMetrics.observeExact.bind(blockMetrics), logger),
        },
      ],
    };
  }
}
