import { hash } from 'node:crypto';
import {
  changePassword,
  getIdentitySealingKey,
  getLoginSessionKeys,
  issuedTokens,
  logIn,
  logOut,
  refreshLoginSession,
  signUp,
  type IdentityCredentials,
  type IssuedTokens,
  type PasswordChange,
  type LoginSessionKey,
} from '@gateway/contracts';
import {
  openSealed,
  seal,
  type Messaging,
  type ParsedReplyOf,
  type SealingKeyPair,
} from '@gateway/messaging';

/** The decrypted tokens for a login session. */
export interface OpenedSession extends IssuedTokens {
  readonly accessExpiresInSeconds: number;
  readonly refreshExpiresInSeconds: number;
  readonly email: string;
}

/**
 * Client for the embedded identity. Passwords and tokens are sealed before they are sent over the bus;
 * refresh tokens are sent as SHA-256 hashes.
 */
export class IdentityClient {
  readonly #messaging: Messaging;
  readonly #sealingKeys: SealingKeyPair;

  constructor(messaging: Messaging, sealingKeys: SealingKeyPair) {
    this.#messaging = messaging;
    this.#sealingKeys = sealingKeys;
  }

  async signUp(credentials: IdentityCredentials): Promise<OpenedSession> {
    const sealedCredentials = await this.#sealToIdentity(credentials);
    return this.#open(await this.#messaging.call(signUp, { sealedCredentials, ...this.#recipient() }));
  }

  async logIn(credentials: IdentityCredentials, clientAddress: string): Promise<OpenedSession> {
    const sealedCredentials = await this.#sealToIdentity(credentials);
    const request = { sealedCredentials, clientAddress, ...this.#recipient() };
    return this.#open(await this.#messaging.call(logIn, request));
  }

  async refresh(refreshToken: string): Promise<OpenedSession> {
    const request = { refreshSha256: hash('sha256', refreshToken), ...this.#recipient() };
    return this.#open(await this.#messaging.call(refreshLoginSession, request));
  }

  async logOut(ended: { readonly refreshToken: string } | { readonly sessionId: string }): Promise<void> {
    const request = 'sessionId' in ended ? ended : { refreshSha256: hash('sha256', ended.refreshToken) };
    await this.#messaging.call(logOut, request);
  }

  async changePassword(
    person: { readonly subject: string; readonly sessionId: string; readonly clientAddress: string },
    passwords: PasswordChange,
  ): Promise<void> {
    const sealedPasswords = await this.#sealToIdentity(passwords);
    await this.#messaging.call(changePassword, { ...person, sealedPasswords });
  }

  async keySet(): Promise<{ keys: LoginSessionKey[] }> {
    return (await this.#messaging.call(getLoginSessionKeys, {})).keySet;
  }

  #recipient(): { recipientPublicKey: string } {
    return { recipientPublicKey: this.#sealingKeys.publicKey };
  }

  async #sealToIdentity(secret: IdentityCredentials | PasswordChange): Promise<string> {
    const { publicKey } = await this.#messaging.call(getIdentitySealingKey, {});
    return seal(Buffer.from(JSON.stringify(secret)), publicKey);
  }

  #open({ sealedTokens, ...rest }: ParsedReplyOf<typeof logIn>): OpenedSession {
    const opened: unknown = JSON.parse(
      openSealed(sealedTokens, this.#sealingKeys.privateKey).toString('utf8'),
    );
    return { ...rest, ...issuedTokens.parse(opened) };
  }
}
