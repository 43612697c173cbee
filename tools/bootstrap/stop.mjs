import { runOnRuntime } from './setup/runtime.mjs';

await runOnRuntime('commands/stop.ts');
