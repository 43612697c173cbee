import { createSealingKeyPair, seal, sealingKeyPairFromSeed } from '@gateway/messaging';
import { newId } from '@gateway/persistence';
import { startStack } from '@gateway/testing';
import pg from 'pg';
import { GuessLimit } from '../../../apps/account/src/identity/guess-limit.ts';
import type { Identity } from '../../../apps/account/src/identity/identity.ts';
import { KnownDevices } from '../../../apps/account/src/identity/known-devices.ts';
import { PasswordHasher } from '../../../apps/account/src/identity/password-hasher.ts';
import { SigningKeys } from '../../../apps/account/src/identity/signing-keys.ts';
import { logIn } from '../../../apps/account/src/identity/log-in.ts';
import { logOut } from '../../../apps/account/src/identity/login-sessions.ts';
import {
  createAccountDatabase,
  type AccountDatabase,
} from '../../../apps/account/src/persistence/account-database.ts';
import { eventually, undoAll, type Undo } from '../stack.fixture.ts';

const email = 'somebody@example.com';
const password = 'the password of before';
const pair = sealingKeyPairFromSeed(Buffer.alloc(32, 7));
const recipientPublicKey = createSealingKeyPair().publicKey;
const passwords = new PasswordHasher();

describe('login sessions that start or end during a concurrent change', () => {
  const undo: Undo[] = [];
  let database: AccountDatabase;
  /** A second database connection with its own transaction. */
  let other: pg.Client;
  let identity: Identity;
  let userId: string;

  beforeAll(async () => {
    const stack = await startStack({ apps: [] });
    undo.push(() => stack.stop());
    database = createAccountDatabase({ url: stack.dev.postgres.account });
    undo.push(() => database.close());
    other = new pg.Client({ connectionString: stack.dev.postgres.account });
    await other.connect();
    undo.push(() => other.end());
    identity = {
      ...{ database, passwords, issuer: 'here', audience: 'here', accessTokenSeconds: 600, signUpOpen: true },
      ...{ sealingKeys: pair, refreshPepper: Buffer.alloc(32, 8) },
      signingKeys: new SigningKeys({ database, boxKeys: pair }),
      guesses: new GuessLimit(database, Buffer.alloc(32, 9)),
      ...{
        mailPepper: Buffer.alloc(32, 10),
        devices: new KnownDevices(Buffer.alloc(32, 11)),
        linkMails: null,
      },
      countEvent: () => undefined,
      onAuditError: (error) => {
        throw error;
      },
      announceLoginSessionChange: () => undefined,
    };
  }, 180_000);
  beforeEach(async () => {
    await database.acrossAccounts.identityUser.deleteMany();
    userId = newId();
    const passwordHash = await passwords.hash(password);
    await database.acrossAccounts.identityUser.create({ data: { id: userId, email, passwordHash } });
  });
  afterAll(() => undoAll(undo), 120_000);

  const enter = (typed = password) =>
    logIn(identity, {
      sealedCredentials: seal(Buffer.from(JSON.stringify({ email, password: typed })), pair.publicKey),
      clientAddress: '192.0.2.1',
      recipientPublicKey,
    });
  const sessions = () => database.acrossAccounts.identitySession.findMany({ where: { userId } });
  const blocked = () =>
    eventually(async () => {
      const { rows } = await other.query('SELECT FROM pg_locks WHERE NOT granted');
      return rows.length > 0 ? true : null;
    });

  it('a login session does not start if the password changes while the service checks the password', async () => {
    const changed = await passwords.hash('the password of now');
    await other.query('BEGIN');
    await other.query('UPDATE identity_users SET password_hash = $1', [changed]);
    await other.query('DELETE FROM identity_sessions');
    const entering = enter().then(
      () => 'begun',
      (error: unknown) => (error as { code?: string }).code,
    );
    await Promise.race([blocked(), entering]);
    await other.query('COMMIT');
    expect(await entering).toBe('invalid_credentials');
    expect(await sessions()).toEqual([]);
  });

  it('a login session starts even if the service rehashes the password during the check', async () => {
    const renewed = await passwords.hash(password);
    await other.query('BEGIN');
    await other.query('UPDATE identity_users SET password_hash = $1', [renewed]);
    const entering = enter();
    await Promise.race([blocked(), entering]);
    await other.query('COMMIT');
    await entering;
    expect(await sessions()).toHaveLength(1);
  });

  it('a login session can be ended even while it is being refreshed', async () => {
    await enter();
    const [session] = await sessions();
    const sessionId = session?.id ?? '';
    await other.query('BEGIN');
    await other.query('UPDATE refresh_tokens SET used_at = now() WHERE session_id = $1', [sessionId]);
    const leaving = logOut(identity, { sessionId });
    leaving.catch(() => undefined);
    await blocked();
    const values = [Buffer.alloc(32, 1), sessionId];
    await other.query('INSERT INTO refresh_tokens (hash, session_id) VALUES ($1, $2)', values);
    await other.query('COMMIT');
    await expect(leaving).resolves.toEqual({});
    expect(await sessions()).toEqual([]);
  });
});
