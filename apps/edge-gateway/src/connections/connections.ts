import {
  credentialChanged,
  credentialSecret,
  listCredentials,
  openCredential,
  type CredentialSecret,
  type CredentialSummary,
} from '@gateway/contracts';
import { openSealed, type Messaging, type SealingKeyPair } from '@gateway/messaging';
import { secretValues } from './secret-values.ts';
import { RemoteCache } from '../cache/remote-cache.ts';

/** A credential, opened: in this process's memory alone, and for a bounded time. */
export interface OpenedCredential {
  readonly secret: CredentialSecret;
  /** Replaces the provider's own address. The secret is only ever sent there. */
  readonly baseUrl: string | null;
}

/** Which providers an account is connected to, and their credentials. */
export interface Connections {
  list(accountId: string): Promise<readonly CredentialSummary[]>;
  open(accountId: string, provider: string): Promise<OpenedCredential | null>;
}

const secondMs = 1_000;

/** Plaintext stays at most a minute after its last opening; a change ends it at once by broadcast. */
export function createConnections(
  messaging: Messaging,
  sealingKeys: SealingKeyPair,
  rememberSecret: (secret: string) => void,
): Connections {
  const shared = { entriesMax: 10_000, staleMs: 60 * secondMs, broadcastsArrive: () => messaging.connected };
  const lists = new RemoteCache<readonly CredentialSummary[]>({
    ...shared,
    freshMs: 10 * secondMs,
    load: async (accountId) => (await messaging.call(listCredentials, { accountId })).credentials,
  });
  const opened = new RemoteCache<OpenedCredential | null>({
    ...shared,
    freshMs: 60 * secondMs,
    load: async (key) => {
      const credential = await openFromVault(key, messaging, sealingKeys);
      if (credential) secretValues(credential.secret.apiKey).forEach(rememberSecret);
      return credential;
    },
  });
  messaging.onBroadcast(credentialChanged, ({ accountId, provider }) => {
    lists.invalidate((_, key) => key === accountId);
    opened.invalidate((_, key) => key === keyOf(accountId, provider));
  });
  messaging.onReconnect(() => {
    lists.doubtAll();
    opened.doubtAll();
  });
  return {
    list: (accountId) => lists.get(accountId),
    open: (accountId, provider) => opened.get(keyOf(accountId, provider)),
  };
}

function keyOf(accountId: string, provider: string): string {
  return `${accountId}|${provider}`;
}

async function openFromVault(
  key: string,
  messaging: Messaging,
  { publicKey, privateKey }: SealingKeyPair,
): Promise<OpenedCredential | null> {
  const [accountId = '', provider = ''] = key.split('|');
  const request = { accountId, provider, recipientPublicKey: publicKey };
  const reply = await messaging.call(openCredential, request);
  if (reply.sealedSecret === null) return null;
  const json: unknown = JSON.parse(openSealed(reply.sealedSecret, privateKey).toString('utf8'));
  return { secret: credentialSecret.parse(json), baseUrl: reply.baseUrl };
}
