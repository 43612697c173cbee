// Creates the demo account with an API key and a user, or finds the existing demo account.
// Reads a SeedRequest from standard input and writes a DemoAccount to standard output.
import { json } from 'node:stream/consumers';
import { allKeyScopes, createAccount, createKey, listKeys } from '@gateway/contracts';
import { connectMessaging, createSealingKeyPair, openSealed } from '@gateway/messaging';
import { CALL, createDemoSession } from './seed-demo-session.ts';
import type { DemoAccount, SeedRequest } from './stack/demo-account.ts';

const DEMO_NAME = 'demo';

const { natsUrl, user, password, knownKey, personPassword } = (await json(process.stdin)) as SeedRequest;
const messaging = await connectMessaging({
  url: natsUrl,
  user,
  password,
  name: 'seed-demo',
  instanceId: `seed-demo-${process.pid}`,
});

async function keyIsThere(accountId: string, key: string): Promise<boolean> {
  const { keys } = await messaging.call(listKeys, { accountId }, CALL);
  return keys.some(
    ({ prefix, last4, expires_at }) =>
      key.startsWith(prefix) &&
      key.endsWith(last4) &&
      (expires_at === null || Date.parse(expires_at) > Date.now()),
  );
}

async function createDemoKey(accountId: string): Promise<string> {
  const { publicKey, privateKey } = createSealingKeyPair();
  const { sealedSecret } = await messaging.call(
    createKey,
    // The demo key may manage its account, whatever the account's default scopes are.
    { accountId, body: { name: DEMO_NAME, scopes: [...allKeyScopes] }, recipientPublicKey: publicKey },
    CALL,
  );
  return openSealed(sealedSecret, privateKey).toString('utf8');
}

const { accountId } = await messaging.call(createAccount, { name: DEMO_NAME, isDemo: true }, CALL);
const apiKey =
  knownKey !== null && (await keyIsThere(accountId, knownKey)) ? knownKey : await createDemoKey(accountId);
const sessionToken = await createDemoSession(messaging, accountId, personPassword);
await messaging.close();
const account: DemoAccount = { accountId, apiKey, sessionToken };
process.stdout.write(JSON.stringify(account));
