import { join } from 'node:path';
import { withLock } from '../../tools/bootstrap/setup/lock.mjs';
import { installPrograms, type ServerProgram } from '../../tools/bootstrap/setup/servers.ts';
import { root } from './dockerfile.fixture.ts';

/** The Prometheus package, which includes `promtool`. */
export const prometheusProgram: ServerProgram = {
  program: 'prometheus',
  debian: 'prometheus',
  homebrew: 'prometheus',
};
export const nginxProgram: ServerProgram = { program: 'nginx', debian: 'nginx-light', homebrew: 'nginx' };

/**
 * Installs the programs that tests run in addition to the stack, like the stack installs its servers. Throws
 * an error with the name of a missing program.
 */
export async function installTestPrograms(programs: readonly ServerProgram[]): Promise<void> {
  const missing = await withLock(join(root, '.data/setup.lock'), () => installPrograms(programs));
  if (missing.length > 0)
    throw new Error(`Missing: ${missing.join(', ')}. That takes Debian with root or sudo, or Homebrew.`);
}
