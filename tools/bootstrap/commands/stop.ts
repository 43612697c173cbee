// `npm run stop [-- --data-dir DIR]` stops a stack.
// The command also stops processes that a killed supervisor left running.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openDataDir } from '../stack/data-dir.ts';
import { endProcess } from '../stack/process-identity.ts';
import { root } from '../stack/root.ts';
import { endLeftovers, findRunningStack } from '../stack/state-file.ts';

/** The maximum time in milliseconds to wait until the supervisor has stopped all services and servers. */
const SUPERVISOR_GRACE_MS = 90_000;

const { values: flags } = parseArgs({
  options: { 'data-dir': { type: 'string', default: join(root, '.data') } },
});
const path = resolve(flags['data-dir']);

async function stopStack(): Promise<string> {
  if (!existsSync(path)) return `There is no stack in ${path}.`;
  const dataDir = openDataDir(path);
  const running = findRunningStack(dataDir);
  if (running) await endProcess(running.supervisor, 'SIGTERM', SUPERVISOR_GRACE_MS);
  const left = await endLeftovers(dataDir);
  if (left.length > 0) return `Stopped what was left running: ${left.join(', ')}.`;
  return running ? 'Stopped.' : 'Nothing was running.';
}

console.log(await stopStack());
