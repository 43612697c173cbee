import type { CredentialSecret, CredentialSummary } from '@gateway/contracts';
import {
  credentialChanged,
  credentialSecret,
  listCredentials,
  openCredential,
  reportCredential,
} from '@gateway/contracts';
import type { SecretRedactor } from '@gateway/observability';
import type { Messaging, RequestOf, SealingKeyPair } from '@gateway/messaging';
import { openSealed } from '@gateway/messaging';
import type { BackendBook } from '../backends/backend-book.ts';
import { RemoteCache } from '../cache/remote-cache.ts';

/** A credential, opened: in this process's memory alone, and for a bounded time. */
export interface OpenedCredential {
  /** One at least. */
  readonly keys: readonly OpenedKey[];
  /** Replaces the provider's own address. The secret is only ever sent there. */
  readonly baseUrl: string | null;
}

/** One of the keys of a credential; what it is made of, as `libs/providers` reads it. */
export interface OpenedKey {
  readonly apiKey: string;
  /** Each value of it that must not show. */
  readonly secretValues: readonly string[];
  /** Is told of every answer that the key gets. */
  readonly health: Pick<CredentialHealth, 'note'>;
}

export const CONNECTIONS = Symbol('CONNECTIONS');

/** Which providers an account is connected to, and their credentials. */
export interface Connections {
  list(accountId: string): Promise<readonly CredentialSummary[]>;
  open(accountId: string, provider: string): Promise<OpenedCredential | null>;
}

const secondMs = 1_000;

/** How often what is too old to be used is taken out of memory, used or not. */
const sweepMs = 10 * secondMs;
/** How long a secret that is used no more is still looked for in what is logged: requests under way may quote it. */
const unprintableMs = 15 * 60 * secondMs;

/**
 * Plaintext is used for a minute; for another one it may stand in for a vault that is away. Then it is dropped, whether
 * anybody asks for it or not. A change ends it at once by broadcast.
 */
export function createConnections(
  messaging: Messaging,
  sealingKeys: SealingKeyPair,
  redactor: Pick<SecretRedactor, 'register' | 'forgetOlder'>,
  backends: Pick<BackendBook, 'reset'>,
): Connections {
  const shared = { entriesMax: 10_000, staleMs: 60 * secondMs, broadcastsArrive: () => messaging.connected };
  const lists = new RemoteCache<readonly CredentialSummary[]>({
    ...shared,
    freshMs: 10 * secondMs,
    load: async (accountId) => (await messaging.call(listCredentials, { accountId })).credentials,
  });
  const forgetList = (accountId: string) => lists.invalidate((_, key) => key === accountId);
  const opened = new RemoteCache<OpenedCredential | null>({
    ...shared,
    freshMs: 60 * secondMs,
    load: async (key) => {
      const [accountId = '', provider = ''] = key.split('|');
      const report: ReportCredential = (refusedStatus) =>
        void reportToVault({ accountId, provider, refusedStatus }, messaging, () => forgetList(accountId));
      const credential = await openFromVault({ accountId, provider }, messaging, sealingKeys, report);
      for (const secret of secretsOf(credential)) redactor.register(secret);
      return credential;
    },
  });
  setInterval(() => forgetOld(opened, redactor), sweepMs).unref();
  messaging.onBroadcast(credentialChanged, ({ accountId, provider }) => {
    forgetList(accountId);
    opened.invalidate((_, key) => key === keyOf(accountId, provider));
    backends.reset(accountId, provider);
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

function forgetOld(
  opened: RemoteCache<OpenedCredential | null>,
  redactor: Pick<SecretRedactor, 'forgetOlder'>,
): void {
  opened.dropExpired();
  redactor.forgetOlder(unprintableMs);
}

function secretsOf(credential: OpenedCredential | null): readonly string[] {
  return credential?.keys.flatMap((key) => key.secretValues) ?? [];
}

function keyOf(accountId: string, provider: string): string {
  return `${accountId}|${provider}`;
}

/** Best effort: the next gateway that sees a change of fortune tells it too. */
function reportToVault(
  fortune: RequestOf<typeof reportCredential>,
  messaging: Messaging,
  onReported: () => void,
): Promise<void> {
  return messaging.call(reportCredential, fortune).then(onReported, () => undefined);
}

async function openFromVault(
  place: { accountId: string; provider: string },
  messaging: Messaging,
  { publicKey, privateKey }: SealingKeyPair,
  report: ReportCredential,
): Promise<OpenedCredential | null> {
  const reply = await messaging.call(openCredential, { ...place, recipientPublicKey: publicKey });
  if (reply.sealedSecret === null) return null;
  const secret = parseSecret(openSealed(reply.sealedSecret, privateKey));
  const keys = [secret.apiKey, ...secret.additionalKeys].map((apiKey, at): OpenedKey => {
    // What the vault knows to fail is one of several keys: that another one is taken is no news of it.
    const health = new CredentialHealth({ isFailing: at === 0 && reply.isFailing, report });
    return { apiKey, secretValues: secretValues(apiKey), health };
  });
  return { keys, baseUrl: reply.baseUrl };
}

/** Overwrites the bytes that it has read. */
function parseSecret(bytes: Buffer): CredentialSecret {
  try {
    return credentialSecret.parse(JSON.parse(bytes.toString('utf8')));
  } finally {
    bytes.fill(0);
  }
}

/** Tells the vault that a provider refused a credential, with which status, or (null) that it took it again. */
type ReportCredential = (refusedStatus: number | null) => void;

interface CredentialHealthOptions {
  /** What the vault knew when the credential was opened. */
  readonly isFailing: boolean;
  readonly report: ReportCredential;
  readonly now?: () => number;
}

/** A provider that answers now so, now so, is not told of each time. */
const quietMs = 10_000;
/** Answers with which a provider refuses the credential itself, or what it may do. */
const isRefusal = (status: number) => status === 401 || status === 403;

/** How an opened credential fares, by the answers that it gets. A change is reported; nobody waits for that. */
export class CredentialHealth {
  readonly #report: ReportCredential;
  readonly #now: () => number;
  #isFailing: boolean;
  #quietUntil = 0;

  constructor({ isFailing, report, now = Date.now }: CredentialHealthOptions) {
    this.#isFailing = isFailing;
    this.#report = report;
    this.#now = now;
  }

  /** Of every answer's status. Costs two comparisons as long as nothing changes. */
  note(status: number): void {
    if (status < 400 ? this.#isFailing : !this.#isFailing && isRefusal(status)) this.#change(status);
  }

  #change(status: number): void {
    const now = this.#now();
    if (now < this.#quietUntil) return;
    this.#quietUntil = now + quietMs;
    this.#isFailing = isRefusal(status);
    this.#report(this.#isFailing ? status : null);
  }
}

/** The values inside a credential: a bare key is one, none is none; the hosted service's is a JSON object of several. */
export function secretValues(credential: string): readonly string[] {
  if (credential === '') return [];
  if (!credential.startsWith('{')) return [credential];
  const fields = parseFields(credential);
  if (typeof fields !== 'object' || fields === null) return [credential];
  return Object.entries(fields).flatMap(([name, value]) =>
    !notSecret.has(name) && typeof value === 'string' ? [value] : [],
  );
}

/** Null for a bare key that begins like JSON (a placeholder left in). The parser's error would quote it. */
function parseFields(credential: string): unknown {
  try {
    return JSON.parse(credential);
  } catch {
    return null;
  }
}

/** No secrets, and too short or too common to take out of texts. */
const notSecret = new Set(['region', 'client_email', 'private_key_id']);
