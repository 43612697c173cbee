// Runs the supervisor as a separate process, for `npm start -- --detach` and for tests.
// STACK_OPTIONS contains the stack's options as JSON.
// The supervisor reports over an IPC channel whether the start succeeded.
import { startStack } from './stack.ts';
import { stackOptions } from './stack-options.ts';
import { rmSync } from 'node:fs';
import type { SuperviseMessage } from './launch-supervisor.ts';
import { beginSupervision } from './supervision.ts';

const options = stackOptions.parse(JSON.parse(process.env['STACK_OPTIONS'] ?? '{}'));
const env = Object.fromEntries(
  Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
);

const report = (line: string) => console.log(`${new Date().toISOString()} ${line}`);

function tellParent(message: SuperviseMessage): void {
  // If the parent process has already exited, the message has no recipient.
  if (process.connected) process.send?.(message, () => undefined);
}

const supervision = await beginSupervision(options, report).catch((error: unknown) => {
  const failed = error instanceof Error ? error.message : String(error);
  report(failed);
  tellParent({ failed });
  process.exit(1);
});

/** Ends the stack and this process. Later calls of this function do not change the exit code. */
function end(exitCode: number): void {
  process.exitCode ??= exitCode;
  void supervision.end().then(() => {
    if (options.ephemeral) rmSync(options.dataDir, { recursive: true, force: true });
    process.exit();
  });
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => end(0));
let isHealthy = false;
// If the parent process disconnects before it receives the report, the start was interrupted.
process.on('disconnect', () => {
  if (options.endWithParent || !isHealthy) end(0);
});

try {
  await startStack(options, supervision, env, report);
  report('healthy');
  isHealthy = true;
  tellParent({ healthy: true });
} catch (error) {
  const failed = error instanceof Error ? error.message : String(error);
  report(failed);
  tellParent({ failed });
  end(1);
}
