import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * Source files with queries that may read rows of every account, and the reasons. In all other files, each
 * query must be limited to one account.
 */
const acrossAccounts: Readonly<Record<string, string>> = {
  'apps/account/src/accounts/create-account.ts':
    'the account does not exist yet; an operator names person and account',
  'apps/account/src/announce/change-announcer.ts':
    'announces the changes of all accounts that a killed process left',
  'apps/account/src/audit/trim-audit.ts': 'deletes old events of all accounts',
  'apps/account/src/conversation-plans/conversation-plans.ts': 'deletes old plans of all accounts',
  'apps/account/src/deletion/delete-account.ts':
    'deletes the account; the id of a receipt is its access right',
  'apps/account/src/deletion/deletion-runner.ts': 'resumes the deletions of all accounts',
  'apps/account/src/identity/audit-person.ts': 'the login determines the person and the account of the event',
  'apps/account/src/identity/identity.ts':
    'logins belong to people; the person is read within the account first',
  'apps/account/src/identity/guess-limit.ts': 'guesses belong to no account',
  'apps/account/src/identity/link-mails.ts': 'people who forgot a password belong to no account',
  'apps/account/src/identity/log-in.ts': 'people who log in belong to no account',
  'apps/account/src/identity/login-sessions.ts': 'login sessions belong to people, who determine the account',
  'apps/account/src/identity/mail-tokens.ts': 'the token determines the person, who belongs to no account',
  'apps/account/src/identity/operator-commands.ts':
    'the operator names the person, who belongs to no account',
  'apps/account/src/identity/passwords.ts':
    'the login session or the token determines the person, who belongs to no account',
  'apps/account/src/identity/sign-up.ts': 'people who sign up or confirm an address belong to no account',
  'apps/account/src/identity/signing-keys.ts': 'signing keys belong to no account',
  'apps/account/src/keys/authenticate-key.ts': 'the key determines the account',
  'apps/account/src/keys/last-used-recorder.ts': 'one statement updates keys of many accounts',
  'apps/account/src/upkeep/expired-records.job.ts': 'deletes expired records of all accounts',
  'apps/billing/src/billing/forget-account.ts': 'raw SQL, bounded by the account it is given',
  'apps/billing/src/billing/receive-stripe-event.ts':
    'the customer determines the account; events belong to none',
  'apps/billing/src/ledger/write-ledger.processor.ts':
    'a batch has entries of many accounts, each with its own',
  'apps/provider-vault/src/audit/audit-outbox.ts': 'ships queued events of all accounts',
  'apps/provider-vault/src/credentials/rewrap-credentials.ts':
    'rotation reads every credential, still sealed',
  'apps/provider-vault/src/keys/key-versions.ts': 'key-encryption keys belong to no account',
  'apps/worker/src/contents/request-contents.ts':
    'raw SQL over the contents of the one account it is given; lists accounts with contents',
  'apps/worker/src/forget-account/forget-account.ts': 'raw SQL, bounded by the account it is given',
  'apps/worker/src/jobs/calibrate/calibrate.job.ts': 'lists accounts with shadow requests, nothing more',
  'apps/worker/src/jobs/expire/expire.ts':
    'raw SQL, bounded by the account it is given; upkeep of partitions',
  'apps/worker/src/jobs/ship-ledger.job.ts': 'a batch has entries of many accounts, each with its own',
  'apps/worker/src/jobs/write-request-log/add-cache-misses.ts':
    'a batch has rows of many accounts; each is compared within its own',
  'apps/worker/src/jobs/write-request-log/postgres-request-log-writer.adapter.ts':
    'a batch has rows of many accounts, each with its own',
  'apps/worker/src/persistence/account-log.ts':
    'raw SQL over the sums and rows of the one account it is given',
  'apps/worker/src/persistence/partitions.ts': 'upkeep of the table, not of rows',
};

/**
 * Database models that do not belong to an account. A database client that is limited to one account cannot
 * use these models.
 */
const ofNoAccount = [
  ...['IdentityUser', 'IdentitySession', 'IdentityMailToken', 'RefreshToken', 'SigningKey', 'LoginGuesses'],
  // The table AccountDeletionStep has no account, because each row belongs to the deletion of one account.
  'AccountDeletionStep',
  ...['KeyVersion', 'VaultReplica'],
  // One batch contains entries from several accounts.
  ...['StripeEvent', 'LedgerOutboxBatch'],
];

const sources = readdirSync(join(root, 'apps'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\/src\/.*\.ts$/.test(file) && !/\.(spec|fixture|child)\.ts$/.test(file))
  .filter((file) => !file.includes('node_modules'))
  .map((file) => ({ path: `apps/${file}`, text: readFileSync(join(root, 'apps', file), 'utf8') }));
const pathsOf = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

describe('queries', () => {
  test('queries read rows from every account only in the listed places', () => {
    expect(pathsOf(/\.(acrossAccounts|transactionAcrossAccounts)\b/).sort()).toEqual(
      Object.keys(acrossAccounts).sort(),
    );
  });

  test('only the scoped clients open a database, and raw SQL queries are only in the listed places', () => {
    const opening = pathsOf(/new PrismaClient\b|from 'pg'|createDatabase\(/);
    expect(opening.length).toBeGreaterThan(2);
    expect(opening.filter((path) => !path.includes('/src/persistence/'))).toEqual([]);
    const raw = pathsOf(/\$(queryRaw|executeRaw)/);
    expect(raw.filter((path) => !(path in acrossAccounts))).toEqual([]);
  });

  test.each(['account', 'vault', 'billing', 'telemetry'])(
    'queries on %s are scoped by a field that every model has, or the model has no account',
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
