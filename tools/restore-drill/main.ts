// `npm run drill:restore [-- --data-dir DIR] [-- --keep DIR]` backs up the running stack.
// The command restores the backup into a separate stack, and decrypts every credential in the separate stack.
// With `--check`, the command only decrypts the credentials of the running stack.
// `--check` is for databases that were restored by other means.
// The command exits with 1 if a credential cannot be decrypted.
// docs/operations/running.md describes the restore drill.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../bootstrap/stack/root.ts';
import type { CheckedRestore } from './checked-restore.ts';
import { checkStack, runRestoreDrill } from './restore-drill.ts';

const { values: flags } = parseArgs({
  options: {
    'data-dir': { type: 'string', default: join(root, '.data') },
    keep: { type: 'string' },
    check: { type: 'boolean', default: false },
  },
});

const seconds = (durationMs: number) => `${(durationMs / 1_000).toFixed(1)} s`;

async function drill(dataDir: string): Promise<CheckedRestore> {
  const keepIn = flags.keep === undefined ? undefined : resolve(flags.keep);
  const outcome = await runRestoreDrill({ dataDir, keepIn });
  const { backupBytes, backupMs, restoreMs } = outcome;
  const megabytes = (backupBytes / 1024 ** 2).toFixed(0);
  console.log(`backed up    all databases and the keys, ${megabytes} MiB, in ${seconds(backupMs)}`);
  console.log(`restored     into a separate stack, which was ready after ${seconds(restoreMs)}`);
  if (keepIn !== undefined)
    console.log(`kept in      ${keepIn}: store keys/ and databases/ in separate places`);
  return outcome;
}

async function run(): Promise<void> {
  const dataDir = resolve(flags['data-dir']);
  const { opened, failed, isKeyKnown } = await (flags.check ? checkStack(dataDir) : drill(dataDir));
  console.log(`credentials  ${opened} of ${opened + failed.length} open`);
  if (isKeyKnown !== null) console.log(`API keys     the demo key is ${isKeyKnown ? 'known' : 'not known'}`);
  for (const { accountId, provider, fault } of failed) console.error(`${accountId} ${provider}: ${fault}`);
  if (failed.length > 0 || isKeyKnown === false) process.exitCode = 1;
}

await run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
