import { ActiveAccounts, type RefusedReason } from '@gateway/messaging';
import type { ServiceParts } from '@gateway/messaging/run-service';
import { Inject, Module, type DynamicModule, type OnModuleDestroy, type Provider } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { ConversationStore } from './compress-blocks/compress-blocks.ts';
import { BlockMetrics, SchemaMetrics } from './compressor-metrics.ts';
import { ContextController } from './context.controller.ts';
import { BackgroundCounter } from './count-tokens/background-counter.ts';
import { CountingThread } from './count-tokens/counting-thread.adapter.ts';
import { DefinitionCounter } from './count-tokens/definition-counter.ts';
import { COUNT_STORE, type CountStore } from './count-tokens/redis-count-store.adapter.ts';
import { ACCOUNT_KEYS_REDIS, ForgetAccountController } from './forget-account.controller.ts';
import { CompressionThread } from './in-turn/compression-thread.adapter.ts';
import { FairCompressor } from './in-turn/fair-compressor.ts';
import { ORIGINAL_STORE, type OriginalStore } from './originals/original-store.port.ts';
import { SchemasController } from './schemas.controller.ts';

export interface CompressorParts extends Pick<ServiceParts, 'logger' | 'metrics'> {
  readonly instanceId: string;
  /** Approximate memory for cached conversations, in bytes. */
  readonly conversationBytesMax: number;
  readonly originals: OriginalStore;
  readonly counts: CountStore;
  /**
   * The connection to the Redis server that stores the omitted original texts and token counts of all accounts.
   */
  readonly redis: Pick<Redis, 'scan' | 'unlink'>;
}

@Module({})
export class CompressorModule implements OnModuleDestroy {
  readonly #threads: readonly [CompressionThread, CountingThread];

  constructor(
    @Inject(CompressionThread) compression: CompressionThread,
    @Inject(CountingThread) counting: CountingThread,
  ) {
    this.#threads = [compression, counting];
  }

  static forRoot(parts: CompressorParts): DynamicModule {
    const { metrics, originals, counts, redis } = parts;
    return {
      module: CompressorModule,
      controllers: [SchemasController, ContextController, ForgetAccountController],
      providers: [
        { provide: ORIGINAL_STORE, useValue: originals },
        { provide: COUNT_STORE, useValue: counts },
        { provide: ACCOUNT_KEYS_REDIS, useValue: redis },
        { provide: SchemaMetrics, useFactory: () => new SchemaMetrics(metrics) },
        { provide: BlockMetrics, useFactory: () => new BlockMetrics(metrics) },
        // An account that sends only small requests also counts as active. The time in the worker threads of the other
        // accounts is then limited.
        { provide: ActiveAccounts, useFactory: () => new ActiveAccounts() },
        ...provideCompressor(parts),
        ...provideCounters(parts),
      ],
    };
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

/**
 * One worker thread stores small conversations, and another stores large conversations. The memory limit applies to
 * both threads together.
 */
function provideCompressor({
  instanceId,
  metrics,
  conversationBytesMax,
  logger,
}: CompressorParts): Provider[] {
  const bytesMax = Math.ceil(conversationBytesMax / 2);
  return [
    {
      provide: CompressionThread,
      useFactory: () => new CompressionThread({ conversationBytesMax: bytesMax, instanceId }, logger),
    },
    {
      provide: FairCompressor,
      inject: [CompressionThread, ActiveAccounts],
      useFactory: (thread: CompressionThread, active: ActiveAccounts) =>
        new FairCompressor({
          thread,
          active,
          conversations: new ConversationStore(bytesMax),
          instanceId,
          onRefused: countRefused(metrics),
        }),
    },
  ];
}

function provideCounters({ logger: log }: CompressorParts): Provider[] {
  return [
    {
      provide: CountingThread,
      inject: [ActiveAccounts],
      useFactory: (active: ActiveAccounts) => new CountingThread(log, active),
    },
    {
      provide: DefinitionCounter,
      inject: [CountingThread],
      useFactory: (thread: CountingThread) => new DefinitionCounter(thread),
    },
    {
      provide: BackgroundCounter,
      inject: [CountingThread, COUNT_STORE, BlockMetrics],
      useFactory: (thread: CountingThread, store: CountStore, metrics: BlockMetrics) =>
        new BackgroundCounter({ thread, store, observe: metrics.observeExact.bind(metrics), log }),
    },
  ];
}

function countRefused(metrics: CompressorParts['metrics']): (reason: RefusedReason) => void {
  const refused = metrics.counter({
    name: 'compressor_requests_refused_total',
    help: 'Requests that found no turn, so their text was sent unchanged: their account has too many waiting, all accounts together have, or the wait was too long.',
    labels: ['reason'],
  });
  return (reason) => refused.inc({ reason });
}
