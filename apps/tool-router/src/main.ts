import 'reflect-metadata';
import { runService } from '@gateway/messaging';
import { loadConfig } from './config.ts';
import { OnnxEncoder } from './encoder/onnx-encoder.adapter.ts';
import { ToolRouterModule } from './tool-router.module.ts';

const encoderThreads = 1;

const config = loadConfig();
let isEncoderReady = false;

await runService({
  name: 'tool-router',
  config,
  ready: () => ({ encoder: isEncoderReady }),
  createModule: async ({ metrics }) => {
    // Opening runs the model once against its own manifest, so a broken one stops the start.
    await OnnxEncoder.open(config.ROUTER_ENCODER_DIR, { threads: encoderThreads });
    isEncoderReady = true;
    return ToolRouterModule.create({ instanceId: config.INSTANCE_ID, metrics });
  },
});
