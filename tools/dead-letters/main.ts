// `npm run dead-letters -- list [limit]` lists usage events that could not be written, with the reasons.
// The dead letters are listed oldest first.
// `npm run dead-letters -- retry [id…]` puts all events, or only the named events, back into the queue.
// The command uses the Redis server at REDIS_URL, or the Redis server of this checkout's stack.
import { join } from 'node:path';
import { readJson } from '../bootstrap/stack/data-dir.ts';
import { devInfo } from '../bootstrap/stack/dev-file.ts';
import { root } from '../bootstrap/stack/root.ts';
import { openDeadLetters, type DeadLetterBox } from './dead-letters.ts';

const listMax = 20;
const usage = 'usage: npm run dead-letters -- list [limit] | retry [id…]';

async function list(box: DeadLetterBox, limit: number): Promise<void> {
  for (const { id, data } of await box.list(limit)) {
    console.log(`${id}  ${data.at}  batch ${data.batchId}\n  ${data.reason.replaceAll('\n', '\n  ')}`);
    console.log(`  ${JSON.stringify(data.event)}\n`);
  }
  console.log(`${await box.count()} dead letters`);
}

function findRedisUrl(): string {
  const fromEnvironment = process.env['REDIS_URL'];
  if (fromEnvironment) return fromEnvironment;
  const dev = devInfo.safeParse(readJson(join(root, '.data/dev.json')));
  if (!dev.success) throw new Error('REDIS_URL is not set, and no stack of this checkout is running.');
  return dev.data.redis_url;
}

async function run([command, ...args]: readonly string[]): Promise<void> {
  const limit = Number(args[0] ?? listMax);
  if ((command !== 'list' || !Number.isInteger(limit) || limit < 1) && command !== 'retry')
    throw new Error(usage);
  const box = openDeadLetters(findRedisUrl());
  try {
    if (command === 'list') await list(box, limit);
    else console.log(`${await box.retry(args.length > 0 ? args : undefined)} events are in the queue again`);
  } finally {
    await box.close();
  }
}

await run(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
