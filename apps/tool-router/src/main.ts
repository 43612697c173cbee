import 'reflect-metadata';
import { runService } from '@gateway/messaging/run-service';
import { assembleRouter, boundHeapGrowth } from './assemble-router.ts';
import { loadConfig } from './config.ts';
import { ToolRouterModule } from './tool-router.module.ts';

boundHeapGrowth();
const config = loadConfig();

await runService({
  name: 'tool-router',
  config,
  createModule: async (parts) => ToolRouterModule.forRoot(await assembleRouter(config, parts)),
});
