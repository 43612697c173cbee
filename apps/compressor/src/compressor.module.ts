import type { Metrics } from '@gateway/observability';
import { Module, type DynamicModule } from '@nestjs/common';
import { CompressSchemasHandler } from './compress-schemas/compress-schemas.handler.ts';
import { CompressionMetrics } from './compress-schemas/compression-metrics.ts';

@Module({})
export class CompressorModule {
  static create({ metrics }: { metrics: Metrics }): DynamicModule {
    return {
      module: CompressorModule,
      controllers: [CompressSchemasHandler],
      providers: [{ provide: CompressionMetrics, useValue: new CompressionMetrics(metrics) }],
    };
  }
}
