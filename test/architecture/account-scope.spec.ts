import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Where queries may see every account's rows, and why each has to. Everything else is scoped by account. */
const acrossAccounts: Readonly<Record<string, string>> = {
  'apps/account/src/attach-person/attach-person.ts': 'an operator names person and account',
  'apps/account/src/authenticate-key/authenticate-key.ts': 'the key tells the account',
  'apps/account/src/authenticate-key/write-last-used.ts': 'keys of many accounts are written at once',
  'apps/account/src/change-password/change-password.ts': 'people who log in belong to no account',
  'apps/account/src/create-account/create-account.ts': 'there is no account yet',
  'apps/account/src/delete-account/delete-account.ts': 'the account goes',
  'apps/account/src/delete-account/deletion-runner.ts': 'deletions are taken up whosever they are',
  'apps/account/src/get-account-deletion/get-account-deletion.ts':
    'the account is gone; the receipt is the right',
  'apps/account/src/idempotency/expired-record-upkeep.ts': 'what expired is deleted whosever it is',
  'apps/account/src/identity/guess-limit.ts': 'guesses belong to no account',
  'apps/account/src/identity/signing-keys.ts': 'signing keys belong to no account',
  'apps/account/src/log-in/log-in.ts': 'people who log in belong to no account',
  'apps/account/src/log-out/log-out.ts': 'people who log in belong to no account',
  'apps/account/src/refresh-session/refresh-session.ts': 'people who log in belong to no account',
  'apps/account/src/register-account/register-account.ts': 'there is no account yet',
  'apps/account/src/resolve-session/resolve-session.ts': 'the person tells the account',
  'apps/account/src/sign-up/sign-up.ts': 'people who log in belong to no account',
  'apps/billing/src/forget-account/forget-account.ts': 'raw SQL, bounded by the account it is given',
  'apps/billing/src/receive-stripe-event/receive-stripe-event.ts':
    'the customer tells the account; events belong to none',
  'apps/billing/src/write-ledger/write-ledger.ts': 'a batch has entries of many accounts, each with its own',
  'apps/provider-vault/src/persistence/key-versions.ts': 'key-encryption keys belong to no account',
  'apps/provider-vault/src/rewrap-credentials/rewrap-credentials.ts':
    'rotation reads every credential, still sealed',
  'apps/worker/src/forget-account/forget-account.ts': 'raw SQL, bounded by the account it is given',
  'apps/worker/src/jobs/calibrate/calibrate.adapter.ts': 'which accounts had shadow requests, and no more',
  'apps/worker/src/jobs/expire/expire.ts':
    'raw SQL, bounded by the account it is given; upkeep of partitions',
  'apps/worker/src/jobs/ship-ledger/ship-ledger.ts':
    'a batch has entries of many accounts, each with its own',
  'apps/worker/src/jobs/write-request-log/postgres-request-log-writer.adapter.ts':
    'a batch has rows of many accounts, each with its own',
  'apps/worker/src/persistence/account-log.ts': 'raw SQL over the rows of the one account it is given',
  'apps/worker/src/persistence/account-usage.ts':
    'raw SQL over the sums and rows of the one account it is given',
  'apps/worker/src/persistence/partitions.ts': 'upkeep of the table, not of rows',
  'apps/worker/src/persistence/request-contents.ts':
    'raw SQL over the contents of the one account it is given; which accounts have any',
};

/** Models whose rows belong to no account, so that no client scoped by account can touch them. */
const ofNoAccount = [
  ...['IdentityUser', 'IdentitySession', 'RefreshToken', 'SigningKey', 'LoginGuesses'],
  // By the deletion it is a step of.
  'AccountDeletionStep',
  ...['KeyVersion', 'VaultReplica'],
  // Batches name many.
  ...['StripeEvent', 'LedgerOutboxBatch'],
];

const sources = readdirSync(join(root, 'apps'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\/src\/.*\.ts$/.test(file) && !/\.(spec|fixture|child)\.ts$/.test(file))
  .filter((file) => !file.includes('node_modules'))
  .map((file) => ({ path: `apps/${file}`, text: readFileSync(join(root, 'apps', file), 'utf8') }));
const pathsOf = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

describe('queries', () => {
  test('see every account’s rows only where it is said why', () => {
    expect(pathsOf(/\.(acrossAccounts|transactionAcrossAccounts)\b/).sort()).toEqual(
      Object.keys(acrossAccounts).sort(),
    );
  });

  test('come from the scoped clients: nothing else opens a database, or has raw SQL without saying why', () => {
    const opening = pathsOf(/new PrismaClient\b|from 'pg'|createDatabase\(/);
    expect(opening.length).toBeGreaterThan(2);
    expect(opening.filter((path) => !path.includes('/src/persistence/'))).toEqual([]);
    const raw = pathsOf(/\$(queryRaw|executeRaw)/);
    expect(raw.filter((path) => !(path in acrossAccounts))).toEqual([]);
  });

  test.each(['account', 'vault', 'billing', 'telemetry'])(
    'of %s are scoped by a field that every model has, or the model belongs to no account',
    (owner) => {
      const schema = readFileSync(join(root, 'prisma', owner, 'schema.prisma'), 'utf8');
      const models = [...schema.matchAll(/^model (\w+) \{([^}]*)\}/gm)];
      expect(models.length).toBeGreaterThan(1);
      const unscoped = models
        .filter(([, name, fields = '']) => name !== 'Account' && !/^ +accountId +String /m.test(fields))
        .map(([, name = '']) => name);
      expect(unscoped.filter((name) => !ofNoAccount.includes(name))).toEqual([]);
      const scopedOnes = models.filter(([, , fields = '']) => /^ +accountId +String /m.test(fields));
      expect(scopedOnes.map(([, name = '']) => name).filter((name) => ofNoAccount.includes(name))).toEqual(
        [],
      );
    },
  );
});
