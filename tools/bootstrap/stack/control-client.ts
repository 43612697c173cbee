import type { DataDir } from './data-dir.ts';
import { findRunningStack } from './state-file.ts';

/** A time limit in milliseconds. Every process of the stack stops or becomes ready within the time limit. */
const ANSWER_WITHIN_MS = 120_000;

/**
 * Sends a command for one process of a running stack to the stack's supervisor. Throws the error that the
 * supervisor returns for the command.
 */
export async function controlUnit(
  dataDir: DataDir,
  name: string,
  action: 'start' | 'stop' | 'ready',
): Promise<void> {
  const control = findRunningStack(dataDir)?.control;
  if (!control) throw new Error(`No stack with the data directory ${dataDir.path} is running.`);
  const response = await fetch(`${control.url}/units/${name}/${action}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${control.token}` },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const { message } = (await response.json()) as { message: string };
  if (!response.ok) throw new Error(`${action} ${name}: ${message}`);
}
