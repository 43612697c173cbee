import 'reflect-metadata';
import { runService } from '@gateway/messaging';
import { CompressorModule } from './compressor.module.ts';
import { loadConfig } from './config.ts';

await runService({
  name: 'compressor',
  config: loadConfig(),
  createModule: (parts) => CompressorModule.create(parts),
});
