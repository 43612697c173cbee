// `npm run drill:restore [-- --data-dir DIR] [-- --keep DIR]`: backs the running stack up, restores the copy into a stack of
// its own, and opens every credential there. Ends with 1 when one does not open. See docs/operations.md.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../bootstrap/stack/root.ts';
import { runRestoreDrill } from './restore-drill.ts';

const { values: flags } = parseArgs({
  options: { 'data-dir': { type: 'string', default: join(root, '.data') }, keep: { type: 'string' } },
});

const seconds = (durationMs: number) => `${(durationMs / 1_000).toFixed(1)} s`;

async function run(): Promise<void> {
  const keepIn = flags.keep === undefined ? undefined : resolve(flags.keep);
  const outcome = await runRestoreDrill({ dataDir: resolve(flags['data-dir']), keepIn });
  const { opened, failed, isKeyKnown, backupBytes, backupMs, restoreMs } = outcome;
  const megabytes = (backupBytes / 1024 ** 2).toFixed(0);
  console.log(`backed up    all databases and the keys, ${megabytes} MiB, in ${seconds(backupMs)}`);
  console.log(`restored     into a stack of its own, which answered after ${seconds(restoreMs)}`);
  console.log(`credentials  ${opened} of ${opened + failed.length} open`);
  if (isKeyKnown !== null) console.log(`API keys     the demo key is ${isKeyKnown ? 'known' : 'not known'}`);
  if (keepIn !== undefined)
    console.log(`kept in      ${keepIn}: move keys/ to another place than databases/`);
  for (const { accountId, provider, fault } of failed) console.error(`${accountId} ${provider}: ${fault}`);
  if (failed.length > 0 || isKeyKnown === false) process.exitCode = 1;
}

await run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
