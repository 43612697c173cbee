// `npm run account -- reset-password <email>` prints a link. With the link, a user can choose a new password.
// `npm run account -- verify-email <email>` marks a user's email address as verified.
// The environment sets the database (ACCOUNT_DATABASE_URL), SESSION_SECRET and PUBLIC_URL.
// Without ACCOUNT_DATABASE_URL, the command uses the stack of this checkout.
import { join } from 'node:path';
import { openDataDir } from '../bootstrap/stack/data-dir.ts';
import { readDevInfo } from '../bootstrap/stack/dev-file.ts';
import { root } from '../bootstrap/stack/root.ts';
import { readSecrets } from '../bootstrap/stack/secrets.ts';

/** Sets the account service's variables that the caller has not set. */
function completeEnvironment(): void {
  if (process.env['ACCOUNT_DATABASE_URL']) return;
  const dataDir = openDataDir(join(root, '.data'));
  const dev = readDevInfo(dataDir);
  if (dev === null)
    throw new Error('ACCOUNT_DATABASE_URL is not set, and no stack of this checkout is running.');
  process.env['ACCOUNT_DATABASE_URL'] = dev.postgres.account;
  process.env['SESSION_SECRET'] ||= readSecrets(dataDir).sessionSecret;
  process.env['PUBLIC_URL'] ||= dev.base_url ?? '';
}

try {
  completeEnvironment();
  await import(join(root, 'dist/apps/account/operator.command.js'));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
