import {
  compressBlocks as compressBlocksContract,
  compressBlocksAt as compressBlocksAtContract,
  countDefinitions as countDefinitionsContract,
  readTokenCounts as readTokenCountsContract,
  recallOriginals as recallOriginalsContract,
  type CompressBlocksReply,
  type CompressBlocksRequest,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { withSpan } from '@gateway/observability';
import { Controller, Inject } from '@nestjs/common';
import { BlockMetrics } from './compressor-metrics.ts';
import { BackgroundCounter } from './count-tokens/background-counter.ts';
import { DefinitionCounter } from './count-tokens/definition-counter.ts';
import { FairCompressor } from './in-turn/fair-compressor.ts';
import { COUNT_STORE, type CountStore } from './count-tokens/redis-count-store.adapter.ts';
import { ORIGINAL_STORE, type OriginalStore } from './originals/original-store.port.ts';

/** Maximum size of a reply in UTF-16 units, chosen to leave room for JSON escapes below the 8 MiB message limit. */
const recallUnitsMax = 2 * 1024 * 1024;

/**
 * Implements the contracts for conversation compression. The contracts cover blocks, omitted original texts,
 * and exact token counts.
 */
@Controller()
export class ContextController {
  readonly #metrics: BlockMetrics;
  readonly #compressor: FairCompressor;
  readonly #originals: OriginalStore;
  readonly #counter: BackgroundCounter;
  readonly #counts: CountStore;
  readonly #definitions: DefinitionCounter;

  constructor(
    @Inject(BlockMetrics) metrics: BlockMetrics,
    @Inject(FairCompressor) compressor: FairCompressor,
    @Inject(ORIGINAL_STORE) originals: OriginalStore,
    @Inject(BackgroundCounter) counter: BackgroundCounter,
    @Inject(COUNT_STORE) counts: CountStore,
    @Inject(DefinitionCounter) definitions: DefinitionCounter,
  ) {
    this.#metrics = metrics;
    this.#compressor = compressor;
    this.#originals = originals;
    this.#counter = counter;
    this.#counts = counts;
    this.#definitions = definitions;
  }

  @RpcHandler(compressBlocksContract)
  compressBlocks(request: CompressBlocksRequest): Promise<CompressBlocksReply> {
    return withSpan('compressor.blocks', { 'gateway.blocks': request.blocks.length }, async (span) => {
      const startedAt = performance.now();
      const { reply, originals, changed } = await this.#compressor.compressBlocks(request);
      const { accountId, sessionSeed: session } = request;
      if (accountId !== undefined) this.#originals.keep({ accountId, session }, originals);
      for (const block of changed) this.#counter.add(block);
      const tokensSaved = this.#metrics.observe(reply, performance.now() - startedAt);
      span.setAttributes({ 'gateway.blocks.status': reply.status, 'gateway.tokens_saved': tokensSaved });
      return reply;
    });
  }

  @RpcHandler(compressBlocksAtContract)
  compressBlocksAt(request: CompressBlocksRequest): Promise<CompressBlocksReply> {
    return this.compressBlocks(request);
  }

  /**
   * Returns omitted original texts. If an original text does not fit into the reply, its entry is null. The
   * first original text always fits into the reply, because no stored text is longer than the reply.
   */
  @RpcHandler(recallOriginalsContract)
  async recallOriginals({
    accountId,
    session,
    ids,
  }: ParsedRequestOf<typeof recallOriginalsContract>): Promise<ReplyOf<typeof recallOriginalsContract>> {
    const found = await this.#originals.find({ accountId, session }, ids);
    let units = 0;
    const originals = found.map((original) => {
      units += original?.length ?? 0;
      return units > recallUnitsMax ? null : original;
    });
    return { originals };
  }

  @RpcHandler(countDefinitionsContract)
  async countDefinitions({
    accountId,
    definitions,
  }: ParsedRequestOf<typeof countDefinitionsContract>): Promise<ReplyOf<typeof countDefinitionsContract>> {
    return { tokens: await this.#definitions.count(accountId, definitions) };
  }

  @RpcHandler(readTokenCountsContract)
  async readTokenCounts({
    accountId,
    blocks,
  }: ParsedRequestOf<typeof readTokenCountsContract>): Promise<ReplyOf<typeof readTokenCountsContract>> {
    if (accountId === undefined) return { counts: blocks.map(() => null) };
    return { counts: await this.#counts.find(accountId, blocks) };
  }
}
