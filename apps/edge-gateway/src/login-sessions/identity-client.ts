import { hash } from 'node:crypto';
import {
  changePassword,
  getIdentitySealingKey,
  getIdentitySettings,
  getLoginSessionKeys,
  issuedDevice,
  issuedTokens,
  logIn,
  logOut,
  refreshLoginSession,
  requestEmailVerification,
  requestPasswordReset,
  resetPassword,
  signUp,
  verifyEmail,
  type IdentityCredentials,
  type IssuedTokens,
  type LoginSessionKey,
  type PasswordChange,
  type PasswordReset,
  type RequestOrigin,
} from '@gateway/contracts';
import {
  openSealed,
  seal,
  type Messaging,
  type ParsedReplyOf,
  type SealingKeyPair,
} from '@gateway/messaging';

/** The decrypted tokens of a login session. */
export interface OpenedSession extends IssuedTokens {
  readonly accessExpiresInSeconds: number;
  readonly refreshExpiresInSeconds: number;
  readonly email: string;
  readonly emailVerified: boolean;
}

/** The caller's address and origin, which the account service needs for rate limits and for the audit log. */
interface Client {
  readonly clientAddress: string;
  readonly origin: RequestOrigin;
}

/** How long the settings of the embedded identity service are cached, in milliseconds. */
const settingsFreshMs = 60_000;

/**
 * Client of the embedded identity service. Passwords and tokens are encrypted before they are sent over the
 * message bus. Refresh tokens are sent as SHA-256 hashes.
 */
export class IdentityClient {
  readonly #messaging: Messaging;
  readonly #sealingKeys: SealingKeyPair;
  #settings: Promise<ParsedReplyOf<typeof getIdentitySettings>> | undefined;
  #settingsReadAt = -Infinity;

  constructor(messaging: Messaging, sealingKeys: SealingKeyPair) {
    this.#messaging = messaging;
    this.#sealingKeys = sealingKeys;
  }

  async signUp(credentials: IdentityCredentials): Promise<OpenedSession> {
    const sealedCredentials = await this.#sealToIdentity(credentials);
    return this.#open(await this.#messaging.call(signUp, { sealedCredentials, ...this.#recipient() }));
  }

  async logIn(credentials: IdentityCredentials, client: Client): Promise<OpenedSession> {
    const sealedCredentials = await this.#sealToIdentity(credentials);
    const request = { sealedCredentials, ...client, ...this.#recipient() };
    return this.#open(await this.#messaging.call(logIn, request));
  }

  async refresh(refreshToken: string, origin: RequestOrigin): Promise<OpenedSession> {
    const request = { refreshSha256: hash('sha256', refreshToken), origin, ...this.#recipient() };
    return this.#open(await this.#messaging.call(refreshLoginSession, request));
  }

  async logOut(
    ended: { readonly refreshToken: string } | { readonly sessionId: string },
    origin: RequestOrigin,
  ): Promise<void> {
    const request = 'sessionId' in ended ? ended : { refreshSha256: hash('sha256', ended.refreshToken) };
    await this.#messaging.call(logOut, { ...request, origin });
  }

  /** Changes the password. Returns the new device token for the caller's browser. */
  async changePassword(
    person: Client & { readonly subject: string; readonly sessionId: string },
    passwords: PasswordChange,
  ): Promise<string | null> {
    const sealedPasswords = await this.#sealToIdentity(passwords);
    const request = { ...person, sealedPasswords, ...this.#recipient() };
    const { sealedDevice } = await this.#messaging.call(changePassword, request);
    return sealedDevice === null ? null : this.#openDevice(sealedDevice);
  }

  async requestPasswordReset(email: string, client: Client): Promise<void> {
    await this.#messaging.call(requestPasswordReset, { email, ...client });
  }

  /** Sets a new password. Returns the user's email address and the device token for the caller's browser. */
  async resetPassword(
    reset: PasswordReset,
    origin: RequestOrigin,
  ): Promise<{ email: string; deviceToken: string }> {
    const request = { sealedReset: await this.#sealToIdentity(reset), origin, ...this.#recipient() };
    const { email, sealedDevice } = await this.#messaging.call(resetPassword, request);
    return { email, deviceToken: this.#openDevice(sealedDevice) };
  }

  async requestEmailVerification(subject: string, client: Client): Promise<void> {
    await this.#messaging.call(requestEmailVerification, { subject, ...client });
  }

  async verifyEmail(token: string, origin: RequestOrigin): Promise<{ email: string }> {
    const sealedToken = await this.#sealToIdentity({ token });
    return this.#messaging.call(verifyEmail, { sealedToken, origin });
  }

  /** Reads the settings of the embedded identity service at most once per minute. */
  async settings(): Promise<ParsedReplyOf<typeof getIdentitySettings>> {
    if (this.#settings && performance.now() - this.#settingsReadAt < settingsFreshMs) return this.#settings;
    const read = this.#messaging.call(getIdentitySettings, {});
    this.#settings = read;
    this.#settingsReadAt = performance.now();
    read.catch(() => {
      if (this.#settings === read) this.#settings = undefined;
    });
    return read;
  }

  async keySet(): Promise<{ keys: LoginSessionKey[] }> {
    return (await this.#messaging.call(getLoginSessionKeys, {})).keySet;
  }

  #recipient(): { recipientPublicKey: string } {
    return { recipientPublicKey: this.#sealingKeys.publicKey };
  }

  async #sealToIdentity(
    secret: IdentityCredentials | PasswordChange | PasswordReset | { readonly token: string },
  ): Promise<string> {
    const { publicKey } = await this.#messaging.call(getIdentitySealingKey, {});
    return seal(Buffer.from(JSON.stringify(secret)), publicKey);
  }

  #open({ sealedTokens, ...rest }: ParsedReplyOf<typeof logIn>): OpenedSession {
    return { ...rest, ...issuedTokens.parse(this.#openJson(sealedTokens)) };
  }

  #openDevice(sealed: string): string {
    return issuedDevice.parse(this.#openJson(sealed)).deviceToken;
  }

  #openJson(sealed: string): unknown {
    return JSON.parse(openSealed(sealed, this.#sealingKeys.privateKey).toString('utf8'));
  }
}
