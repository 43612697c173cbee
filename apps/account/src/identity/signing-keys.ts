import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { loginSessionKey, type LoginSessionKey } from '@gateway/contracts';
import { openSealed, seal, type SealingKeyPair } from '@gateway/messaging';
import { isUniqueConflict } from '@gateway/persistence';
import { calculateJwkThumbprint } from 'jose';
import type { AccountDatabase, SigningKeyRow } from '../persistence/account-database.ts';

export interface SigningKeysOptions {
  readonly database: AccountDatabase;
  /**
   * The key pair that encrypts private keys before they are stored. The stored private keys can be decrypted
   * only with the service's key pair.
   */
  readonly boxKeys: SealingKeyPair;
  /** How long a key signs tokens before the next signing key replaces it, in milliseconds. */
  readonly signsForMs?: number;
  /**
   * Time between the publication of a signing key and its first signature, in milliseconds. Verifiers fetch
   * the new key before the first signature.
   */
  readonly publishedAheadMs?: number;
  /**
   * How long a signing key still verifies tokens after its last signature, in milliseconds. This time must be
   * longer than the lifetime of a token.
   */
  readonly verifiesAfterMs?: number;
  readonly now?: () => number;
}

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

interface Known {
  readonly rows: readonly SigningKeyRow[];
  readonly readAt: number;
}

const dayMs = 24 * 60 * 60 * 1000;
const rereadAfterMs = 60_000;
const attemptsMax = 5;

/**
 * The keys that sign access tokens. All replicas share the signing keys, and a new key is created each month.
 */
export class SigningKeys {
  readonly #database: AccountDatabase;
  readonly #boxKeys: SealingKeyPair;
  readonly #times: {
    readonly signsForMs: number;
    readonly aheadMs: number;
    readonly verifiesAfterMs: number;
  };
  readonly #now: () => number;
  readonly #opened = new Map<string, KeyObject | null>();
  #known: Known | undefined;

  constructor(options: SigningKeysOptions) {
    this.#database = options.database;
    this.#boxKeys = options.boxKeys;
    this.#times = {
      signsForMs: options.signsForMs ?? 30 * dayMs,
      aheadMs: options.publishedAheadMs ?? dayMs,
      verifiesAfterMs: options.verifiesAfterMs ?? 2 * dayMs,
    };
    this.#now = options.now ?? Date.now;
  }

  /** The key that currently signs access tokens. */
  async current(): Promise<SigningKey> {
    const rows = await this.#read();
    const now = this.#now();
    for (const row of rows.toReversed()) {
      if (row.signsFrom.getTime() > now || row.signsUntil.getTime() <= now) continue;
      const privateKey = this.#open(row);
      if (privateKey) return { kid: row.kid, privateKey };
    }
    throw new Error('no key can sign access tokens: check SESSION_SECRET');
  }

  /** The keys that verify access tokens (the current, recent and upcoming signing keys). */
  async publicKeys(): Promise<LoginSessionKey[]> {
    return (await this.#read()).map(({ publicJwk }) => loginSessionKey.parse(publicJwk));
  }

  async #read(): Promise<readonly SigningKeyRow[]> {
    const now = this.#now();
    if (this.#known && now - this.#known.readAt < rereadAfterMs) return this.#known.rows;
    for (let attempt = 1; ; attempt++) {
      const rows = await this.#database.acrossAccounts.signingKey.findMany({
        where: { verifiesUntil: { gt: new Date(now) } },
        orderBy: { sequence: 'asc' },
      });
      const signsFrom = this.#chooseNext(rows, now);
      if (signsFrom === null) {
        this.#known = { rows, readAt: now };
        return rows;
      }
      if (attempt >= attemptsMax) throw new Error('creating a key for access tokens failed');
      await this.#create((rows.at(-1)?.sequence ?? 0) + 1, signsFrom);
    }
  }

  /**
   * The time at which the next signing key must take over. Null if no new signing key is needed yet. Signing keys
   * that cannot be decrypted are ignored.
   */
  #chooseNext(rows: readonly SigningKeyRow[], now: number): number | null {
    const usable = rows.filter((row) => row.signsUntil.getTime() > now && this.#open(row) !== null);
    const last = usable.at(-1);
    if (!usable.some((row) => row.signsFrom.getTime() <= now)) return now;
    return last && last.signsUntil.getTime() - now < this.#times.aheadMs ? last.signsUntil.getTime() : null;
  }

  async #create(sequence: number, signsFrom: number): Promise<void> {
    const { signsForMs, verifiesAfterMs } = this.#times;
    const { signingKey } = this.#database.acrossAccounts;
    await signingKey.deleteMany({ where: { verifiesUntil: { lte: new Date(this.#now()) } } });
    const data = await renderNewKey(this.#boxKeys);
    try {
      await signingKey.create({
        data: {
          ...data,
          sequence,
          signsFrom: new Date(signsFrom),
          signsUntil: new Date(signsFrom + signsForMs),
          verifiesUntil: new Date(signsFrom + signsForMs + verifiesAfterMs),
        },
      });
    } catch (error) {
      // If another replica has already created a signing key, that key is used.
      if (!isUniqueConflict(error)) throw error;
    }
  }

  /**
   * Decrypts the private part of a signing key. Returns null for a key that was encrypted under another
   * secret.
   */
  #open({ kid, sealedPrivateKey }: SigningKeyRow): KeyObject | null {
    const known = this.#opened.get(kid);
    if (known !== undefined) return known;
    const opened = openPrivateKey(sealedPrivateKey, this.#boxKeys);
    if (this.#opened.size >= 64) this.#opened.clear();
    this.#opened.set(kid, opened);
    return opened;
  }
}

async function renderNewKey(boxKeys: SealingKeyPair) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' });
  const kid = await calculateJwkThumbprint({ kty: 'EC', ...jwk });
  const sealedPrivateKey = seal(privateKey.export({ format: 'der', type: 'pkcs8' }), boxKeys.publicKey);
  return {
    kid,
    publicJwk: loginSessionKey.parse({ ...jwk, kid, alg: 'ES256', use: 'sig' }),
    sealedPrivateKey,
  };
}

function openPrivateKey(sealed: string, boxKeys: SealingKeyPair): KeyObject | null {
  try {
    return createPrivateKey({ key: openSealed(sealed, boxKeys.privateKey), format: 'der', type: 'pkcs8' });
  } catch {
    return null;
  }
}
