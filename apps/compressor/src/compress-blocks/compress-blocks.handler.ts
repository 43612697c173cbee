import {
  compressBlocksAt,
  compressBlocks as contract,
  type CompressBlocksReply,
  type CompressBlocksRequest,
} from '@gateway/contracts';
import { RpcHandler } from '@gateway/messaging';
import { withSpan } from '@gateway/observability';
import { Controller, Inject } from '@nestjs/common';
import { BackgroundCounter } from '../count-tokens/background-counter.ts';
import { BlockMetrics } from './block-metrics.ts';
import { compressBlocks } from './compress-blocks.ts';
import { ConversationStore } from './conversation-store.ts';
import { instanceIdToken } from './instance-id.ts';
import type { OriginalStore } from '../originals/original-store.port.ts';
import { originalStoreToken } from '../originals/originals-token.ts';

@Controller()
export class CompressBlocksHandler {
  readonly #metrics: BlockMetrics;
  readonly #store: ConversationStore;
  readonly #originals: OriginalStore;
  readonly #counter: BackgroundCounter;
  readonly #instanceId: string;

  constructor(
    @Inject(BlockMetrics) metrics: BlockMetrics,
    @Inject(ConversationStore) store: ConversationStore,
    @Inject(originalStoreToken) originals: OriginalStore,
    @Inject(BackgroundCounter) counter: BackgroundCounter,
    @Inject(instanceIdToken) instanceId: string,
  ) {
    this.#originals = originals;
    this.#counter = counter;
    this.#metrics = metrics;
    this.#store = store;
    this.#instanceId = instanceId;
  }

  @RpcHandler(contract)
  compress(request: CompressBlocksRequest): CompressBlocksReply {
    return withSpan('compressor.blocks', { 'gateway.blocks': request.blocks.length }, (span) => {
      const startedAt = performance.now();
      const { reply, originals, changed } = compressBlocks(request, {
        store: this.#store,
        instanceId: this.#instanceId,
      });
      const { accountId, sessionSeed: session } = request;
      if (accountId !== undefined) this.#originals.keep({ accountId, session }, originals);
      for (const block of changed) this.#counter.add(block);
      const tokensSaved = this.#metrics.observe(reply, performance.now() - startedAt);
      span.setAttributes({ 'gateway.blocks.status': reply.status, 'gateway.tokens_saved': tokensSaved });
      return reply;
    });
  }

  @RpcHandler(compressBlocksAt)
  compressHere(request: CompressBlocksRequest): CompressBlocksReply {
    return this.compress(request);
  }
}
