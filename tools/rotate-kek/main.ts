// `npm run rotate:kek [version]` switches to a different version of the vault's key-encryption key.
// By default, the command switches to the vault's highest version.
// The command re-encrypts every credential with the chosen version while the vault keeps running.
// An interrupted command can be run again at any time. docs/internals/vault.md describes the rotation.
// For machines without this checkout, the build also bundles the command into dist/tools/rotate-kek.js.
// The command uses NATS_URL and the operator's NATS_PASSWORD, or the running stack of this checkout.
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
    if (retired.length > 0) console.log(`no longer needed: ${retired.join(', ')}. Remove these keys.`);
    console.log(`in use: ${inUse.join(', ')}`);
    if (failed.length > 0) {
      console.error(`credentials that cannot be decrypted and stay unchanged:\n  ${failed.join('\n  ')}`);
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
