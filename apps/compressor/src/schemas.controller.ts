import { compressSchemas as compressSchemasContract, type CompressSchemasReply } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf } from '@gateway/messaging';
import { withSpan } from '@gateway/observability';
import { Controller, Inject } from '@nestjs/common';
import { compressSchemas } from './compress-schemas/compress-schemas.ts';
import { SchemaMetrics } from './compressor-metrics.ts';

/** Implements the contracts for compressing tool definitions. */
@Controller()
export class SchemasController {
  readonly #metrics: SchemaMetrics;

  constructor(@Inject(SchemaMetrics) metrics: SchemaMetrics) {
    this.#metrics = metrics;
  }

  @RpcHandler(compressSchemasContract)
  compressSchemas({
    definitions,
    mode,
  }: ParsedRequestOf<typeof compressSchemasContract>): CompressSchemasReply {
    return withSpan('compressor.schemas', { 'gateway.definitions': definitions.length }, (span) => {
      const startedAt = performance.now();
      const reply = compressSchemas(definitions, mode);
      const tokensSaved = this.#metrics.observe(reply, performance.now() - startedAt);
      span.setAttribute('gateway.tokens_saved', tokensSaved);
      return reply;
    });
  }
}
