import { usage } from './commands/usage.mjs';
import { runOnRuntime } from './setup/runtime.mjs';

await runOnRuntime('commands/start.ts', usage.start);
