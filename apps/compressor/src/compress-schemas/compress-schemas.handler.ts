import { compressSchemas as contract, type CompressSchemasReply } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf } from '@gateway/messaging';
import { withSpan } from '@gateway/observability';
import { Controller, Inject } from '@nestjs/common';
import { CompressionMetrics } from './compression-metrics.ts';
import { compressSchemas } from './compress-schemas.ts';

@Controller()
export class CompressSchemasHandler {
  readonly #metrics: CompressionMetrics;

  constructor(@Inject(CompressionMetrics) metrics: CompressionMetrics) {
    this.#metrics = metrics;
  }

  @RpcHandler(contract)
  compress({ definitions, mode }: ParsedRequestOf<typeof contract>): CompressSchemasReply {
    return withSpan('compressor.schemas', { 'gateway.definitions': definitions.length }, (span) => {
      const startedAt = performance.now();
      const reply = compressSchemas(definitions, mode);
      const tokensSaved = this.#metrics.observe(reply, performance.now() - startedAt);
      span.setAttribute('gateway.tokens_saved', tokensSaved);
      return reply;
    });
  }
}
