import type { CredentialSecret, CredentialSummary } from '@gateway/contracts';
import {
  credentialChanged,
  credentialSecret,
  listCredentials,
  openCredential,
  reportCredential,
} from '@gateway/contracts';
import type { Messaging, ReplyOf, RequestOf, SealingKeyPair } from '@gateway/messaging';
import { openSealed } from '@gateway/messaging';
import type { BackendBook } from '../backends/backend-book.ts';
import { RemoteCache } from '../cache/remote-cache.ts';
import type { AccountSecrets } from './account-secrets.ts';

/** A decrypted credential, which stays in process memory for a limited time. */
export interface OpenedCredential {
  /** The provider keys of the credential. A credential consists of at least one provider key. */
  readonly keys: readonly OpenedKey[];
  /**
   * The address that replaces the provider's default address. If this address is set, the provider key is never
   * sent to the default address.
   */
  readonly baseUrl: string | null;
}

/** One provider key of a credential. The key has the form that `libs/providers` expects. */
export interface OpenedKey {
  readonly apiKey: string;
  /** Texts that must never appear in logs or responses. */
  readonly secretValues: readonly string[];
  /** A function that receives the status code of every response to a call with this provider key. */
  readonly health: Pick<CredentialHealth, 'note'>;
}

export const CONNECTIONS = Symbol('CONNECTIONS');

/** An account's connected providers and their credentials. */
export interface Connections {
  list(accountId: string): Promise<readonly CredentialSummary[]>;
  open(accountId: string, provider: string): Promise<OpenedCredential | null>;
}

const secondMs = 1_000;

/** Interval at which expired and unused secrets are removed from memory, in milliseconds. */
const sweepMs = 10 * secondMs;

/**
 * Creates the connection registry for all accounts. The process keeps a decrypted credential in memory for one
 * minute, or for two minutes if the vault is unavailable. When a change of the credential is broadcast, the process
 * removes the credential immediately.
 */
export function createConnections(
  messaging: Messaging,
  sealingKeys: SealingKeyPair,
  secrets: AccountSecrets,
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
      const report = (found: Omit<VaultReport, 'accountId' | 'provider'>) =>
        void reportToVault({ accountId, provider, ...found }, messaging, () => forgetList(accountId));
      const credential = await openFromVault({ accountId, provider }, messaging, sealingKeys, report);
      secrets.note(accountId, credential?.keys.flatMap((one) => one.secretValues) ?? []);
      return credential;
    },
  });
  sweepRegularly(opened, secrets);
  messaging.onBroadcast(credentialChanged, ({ accountId, provider }) => {
    forgetList(accountId);
    opened.invalidate((_, key) => key === keyOf(accountId, provider));
    backends.reset(accountId, provider);
  });
  for (const cache of [lists, opened]) messaging.onReconnect(() => cache.doubtAll());
  return {
    list: (accountId) => lists.get(accountId),
    open: (accountId, provider) => opened.get(keyOf(accountId, provider)),
  };
}

function sweepRegularly(opened: RemoteCache<OpenedCredential | null>, secrets: AccountSecrets): void {
  const sweep = (): void => {
    opened.dropExpired();
    secrets.forgetOld();
  };
  setInterval(sweep, sweepMs).unref();
}

function keyOf(accountId: string, provider: string): string {
  return `${accountId}|${provider}`;
}

type VaultReport = RequestOf<typeof reportCredential>;

/**
 * Reports the health of a credential to the vault. A failed report is not repeated. If other gateway processes
 * notice the change, they also report it to the vault.
 */
function reportToVault(report: VaultReport, messaging: Messaging, onReported: () => void): Promise<void> {
  return messaging.call(reportCredential, report).then(onReported, () => undefined);
}

async function openFromVault(
  place: { accountId: string; provider: string },
  messaging: Messaging,
  { publicKey, privateKey }: SealingKeyPair,
  report: (found: Omit<VaultReport, 'accountId' | 'provider'>) => void,
): Promise<OpenedCredential | null> {
  const reply = await messaging.call(openCredential, { ...place, recipientPublicKey: publicKey });
  if (reply.sealedSecret === null) return null;
  const secret = parseSecret(openSealed(reply.sealedSecret, privateKey));
  const { version } = reply;
  const keys = [secret.apiKey, ...secret.additionalKeys].map((apiKey, key): OpenedKey => {
    const health = new CredentialHealth({
      state: key === 0 ? stateOf(reply) : reply.refusedKey === key ? 'failing' : 'working',
      // The version prevents that a late response marks a credential that was replaced in the meantime.
      report: (refusedStatus) => report({ refusedStatus, key, version }),
    });
    return { apiKey, secretValues: secretValues(apiKey), health };
  });
  return { keys, baseUrl: reply.baseUrl };
}

function stateOf({
  isFailing,
  isVerified,
}: Pick<ReplyOf<typeof openCredential>, 'isFailing' | 'isVerified'>): CredentialState {
  if (isFailing) return 'failing';
  return isVerified ? 'working' : 'unknown';
}

/** Parses a decrypted secret, then overwrites its bytes. */
function parseSecret(bytes: Buffer): CredentialSecret {
  try {
    return credentialSecret.parse(JSON.parse(bytes.toString('utf8')));
  } finally {
    bytes.fill(0);
  }
}

/**
 * Reports a credential's health to the vault. The report contains the status code with which a provider
 * rejected the credential, or null once the provider accepts the credential again.
 */
type ReportCredential = (refusedStatus: number | null) => void;

/** Whether the provider accepts a credential, or `unknown` if no response has shown this yet. */
type CredentialState = 'unknown' | 'working' | 'failing';

interface CredentialHealthOptions {
  /** The state in the vault when the credential was decrypted. */
  readonly state: CredentialState;
  readonly report: ReportCredential;
  readonly now?: () => number;
}

/**
 * Minimum time between two reports about a credential, in milliseconds. Some providers alternate between
 * accepting and rejecting a credential.
 */
const quietMs = 10_000;
/** Status codes with which a provider rejects a credential or its permissions. */
const isRefusal = (status: number) => status === 401 || status === 403;

/**
 * Determines from the responses whether a credential still works. Changes in the health of a credential are
 * reported in the background.
 */
export class CredentialHealth {
  readonly #report: ReportCredential;
  readonly #now: () => number;
  #state: CredentialState;
  #quietUntil = 0;

  constructor({ state, report, now = Date.now }: CredentialHealthOptions) {
    this.#state = state;
    this.#report = report;
    this.#now = now;
  }

  /**
   * Must be called with the status of every response. If the health of the credential has not changed, the method
   * needs only two comparisons.
   */
  note(status: number): void {
    if (status < 400 ? this.#state !== 'working' : this.#state !== 'failing' && isRefusal(status))
      this.#change(status);
  }

  #change(status: number): void {
    const now = this.#now();
    if (now < this.#quietUntil) return;
    // The first success of a credential starts no pause, so that a later rejection is reported immediately.
    const isFirstSuccess = this.#state === 'unknown' && status < 400;
    if (!isFirstSuccess) this.#quietUntil = now + quietMs;
    this.#state = isRefusal(status) ? 'failing' : 'working';
    this.#report(this.#state === 'failing' ? status : null);
  }
}

/**
 * Returns the secret values inside a credential. A credential that is a plain key contains one secret value,
 * and an empty key contains none. The credential of the hosted service is a JSON object with several values.
 * Each line of a PEM private key counts as a separate secret, because a text may contain the key with
 * different line breaks.
 */
export function secretValues(credential: string): readonly string[] {
  if (credential === '') return [];
  if (!credential.startsWith('{')) return [credential];
  const fields = parseFields(credential);
  if (typeof fields !== 'object' || fields === null) return [credential];
  return Object.entries(fields).flatMap(([name, value]) =>
    !notSecret.has(name) && typeof value === 'string' ? splitLines(value) : [],
  );
}

function splitLines(value: string): readonly string[] {
  return value.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
}

/**
 * Parses a credential as JSON. Returns null for a bare key that looks like the start of JSON, such as a
 * leftover placeholder. The function hides the JSON parser's error message, because the message would quote the key.
 */
function parseFields(credential: string): unknown {
  try {
    return JSON.parse(credential);
  } catch {
    return null;
  }
}

/** Fields of a credential that are not secret, or that have values too common to redact. */
const notSecret = new Set(['region', 'client_email', 'private_key_id']);
