// The operator's commands for users of the embedded identity service.
//
//   node dist/apps/account/operator.command.js reset-password <email>   prints a link for a new password
//   node dist/apps/account/operator.command.js verify-email <email>     marks the address as verified
//
// The commands run where the account service runs, and read the service's environment variables.
// The commands need ACCOUNT_DATABASE_URL, SESSION_SECRET and, for complete links, PUBLIC_URL.
// In a source checkout, `npm run account -- <command> <email>` supplies the variables.
import { loadOperatorConfig } from './config.ts';
import { deriveMailPepper } from './identity/identity.ts';
import { createResetLink, markEmailVerified } from './identity/operator-commands.ts';
import { createAccountDatabase } from './persistence/account-database.ts';

const usage = 'usage: reset-password <email> | verify-email <email>';

async function run([command, email, ...rest]: readonly string[]): Promise<void> {
  if ((command !== 'reset-password' && command !== 'verify-email') || email === undefined || rest.length > 0)
    throw new Error(usage);
  const config = loadOperatorConfig();
  if (config.OIDC_ISSUER !== undefined)
    throw new Error('OIDC_ISSUER is set: this gateway has no passwords. Use the issuer’s own commands.');
  const database = createAccountDatabase({ url: config.ACCOUNT_DATABASE_URL, connectionsMax: 1 });
  try {
    const context = {
      database,
      mailPepper: deriveMailPepper(config.SESSION_SECRET),
      publicUrl: config.PUBLIC_URL ?? null,
    };
    const isReset = command === 'reset-password';
    const printed = await (isReset ? createResetLink(context, email) : markEmailVerified(context, email));
    process.stdout.write(`${printed}\n`);
  } finally {
    await database.close();
  }
}

await run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
