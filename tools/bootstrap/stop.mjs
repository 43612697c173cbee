import { usage } from './commands/usage.mjs';
import { runOnRuntime } from './setup/runtime.mjs';

await runOnRuntime('commands/stop.ts', usage.stop);
