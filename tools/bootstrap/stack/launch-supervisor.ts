import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { openDataDir } from './data-dir.ts';
import type { StackOptions } from './stack-options.ts';

/** The only message that a supervisor process sends to the process that started it. */
export const superviseMessage = z.union([
  z.object({ healthy: z.literal(true) }),
  z.object({ failed: z.string() }),
]);
export type SuperviseMessage = z.infer<typeof superviseMessage>;

/** Resolves when the stack is healthy. Throws the error that the supervisor reports. */
function waitForMessage(child: ChildProcess, logFile: string): Promise<void> {
  return new Promise((settle, reject) => {
    child.once('message', (message) => {
      const outcome = superviseMessage.parse(message);
      if ('healthy' in outcome) settle();
      else reject(new Error(outcome.failed));
    });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`The supervisor ended (${signal ?? `code ${code}`}): see ${logFile}`)),
    );
  });
}

/**
 * Starts a stack under a supervisor process in the background, and resolves when the stack is healthy. The
 * stack keeps running after this process exits, unless `endWithParent` is set. If the start fails, cleans up
 * and throws the supervisor's error.
 * @param env the complete environment for the supervisor and the services
 */
export async function launchSupervisor(
  options: StackOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ChildProcess> {
  const logFile = openDataDir(options.dataDir).logFile('supervisor');
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(process.execPath, [join(import.meta.dirname, 'supervise.ts')], {
    cwd: '/',
    env: { ...env, STACK_OPTIONS: JSON.stringify(options) },
    stdio: ['ignore', log, log, 'ipc'],
    detached: true,
  });
  closeSync(log);
  try {
    await waitForMessage(child, logFile);
  } catch (error) {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      await new Promise((settle) => child.once('exit', settle));
    }
    throw error;
  }
  if (!options.endWithParent) child.disconnect();
  child.channel?.unref();
  child.unref();
  return child;
}
