import { runOnRuntime } from './setup/runtime.mjs';

await runOnRuntime('commands/script.ts');
