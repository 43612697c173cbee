// `npm run rotate:kek [version]` writes with another version of the vault's key-encryption key (the highest that the vault
// holds), and closes every credential anew under it, while the vault serves. It may be ended and run again at any time. See
// docs/internals/vault.md. The build makes it dist/tools/rotate-kek.js, for where there is nothing else.
// NATS is at NATS_URL, with the operator's password in NATS_PASSWORD, or where the stack of this checkout has it.
import { join } from 'node:path';
import { connectMessaging } from '@gateway/messaging';
import { readJson } from '../bootstrap/stack/data-dir.ts';
import { devInfo } from '../bootstrap/stack/dev-file.ts';
import { rotateKek } from './rotate-kek.ts';

const patienceMs = 120_000;
const rowsMax = 100;

function findNats(): { url: string; user: string; password: string } {
  const { NATS_URL: url, NATS_PASSWORD: password, NATS_USER: user = 'operator' } = process.env;
  if (url && password) return { url, user, password };
  const dev = devInfo.safeParse(readJson(join(process.cwd(), '.data/dev.json')));
  if (!dev.success) {
    throw new Error('NATS_URL and NATS_PASSWORD are not set, and no stack of this checkout is running.');
  }
  return { url: dev.data.nats_url, ...dev.data.nats_operator };
}

function parseVersion(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error('usage: npm run rotate:kek [version]');
  return Number(text);
}

async function run(args: readonly string[]): Promise<void> {
  const version = parseVersion(args[0]);
  const instanceId = `rotate-kek-${process.pid}`;
  const messaging = await connectMessaging({ ...findNats(), name: 'rotate-kek', instanceId });
  try {
    const report = (line: string) => console.log(line);
    const { retired, inUse, failed } = await rotateKek(messaging, { version, rowsMax, patienceMs, report });
    if (retired.length > 0) console.log(`needed no more: ${retired.join(', ')}. Take these keys out.`);
    console.log(`in use: ${inUse.join(', ')}`);
    if (failed.length > 0) {
      console.error(`credentials that do not open, and were left as they are:\n  ${failed.join('\n  ')}`);
      process.exitCode = 1;
    }
  } finally {
    await messaging.close();
  }
}

await run(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
