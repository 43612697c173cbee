import { runOnRuntime } from './setup/runtime.mjs';

await runOnRuntime('commands/prepare-kubernetes.ts');
