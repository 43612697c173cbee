import 'reflect-metadata';
import { runService } from '@gateway/messaging';
import { CompressorModule } from './compressor.module.ts';
import { loadConfig } from './config.ts';

const config = loadConfig();

await runService({
  name: 'compressor',
  config,
  createModule: ({ metrics }) =>
    CompressorModule.create({
      instanceId: config.INSTANCE_ID,
      metrics,
      conversationBytesMax: config.CONVERSATION_BYTES_MAX,
    }),
});
