import { compressSchemas as compressSchemasContract, type CompressSchemasReply } from '@gateway/contracts';
import type { ParsedRequestOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { withSpan } from '@gateway/observability';
import { Controller, Inject } from '@nestjs/common';
import { FairCompressor } from './in-turn/fair-compressor.ts';
import { SchemaMetrics } from './compressor-metrics.ts';

/** Implements the contracts for compressing tool definitions. */
@Controller()
export class SchemasController {
  readonly #metrics: SchemaMetrics;
  readonly #compressor: FairCompressor;

  constructor(
    @Inject(SchemaMetrics) metrics: SchemaMetrics,
    @Inject(FairCompressor) compressor: FairCompressor,
  ) {
    this.#metrics = metrics;
    this.#compressor = compressor;
  }

  @RpcHandler(compressSchemasContract)
  compressSchemas({
    accountId = '',
    definitions,
    mode,
  }: ParsedRequestOf<typeof compressSchemasContract>): Promise<CompressSchemasReply> {
    return withSpan('compressor.schemas', { 'gateway.definitions': definitions.length }, async (span) => {
      const startedAt = performance.now();
      const reply = await this.#compressor.compressSchemas(accountId, definitions, mode);
      const tokensSaved = this.#metrics.observe(reply, performance.now() - startedAt);
      span.setAttribute('gateway.tokens_saved', tokensSaved);
      return reply;
    });
  }
}
