import {
  changePassword as changePasswordContract,
  getIdentitySealingKey as getIdentitySealingKeyContract,
  getIdentitySettings as getIdentitySettingsContract,
  getLoginSessionKeys as getLoginSessionKeysContract,
  logIn as logInContract,
  logOut as logOutContract,
  refreshLoginSession as refreshLoginSessionContract,
  requestEmailVerification as requestEmailVerificationContract,
  requestPasswordReset as requestPasswordResetContract,
  resetPassword as resetPasswordContract,
  resolveLoginSession as resolveLoginSessionContract,
  signUp as signUpContract,
  verifyEmail as verifyEmailContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import { AUTHENTICATION_DATABASE, type AccountDatabase } from '../persistence/account-database.ts';
import { changePassword, requestPasswordReset, resetPassword } from './passwords.ts';
import { IDENTITY, requireIdentity, type Identity } from './identity.ts';
import { logIn } from './log-in.ts';
import { logOut, refreshLoginSession, resolveLoginSession } from './login-sessions.ts';
import { signUp, requestEmailVerification, verifyEmail } from './sign-up.ts';

/**
 * Implements the RPC contracts for the embedded identity service, and resolves login sessions from any
 * issuer.
 */
@Controller()
export class IdentityController {
  readonly #database: AccountDatabase;
  readonly #identity: Identity | null;

  constructor(
    @Inject(AUTHENTICATION_DATABASE) database: AccountDatabase,
    @Inject(IDENTITY) identity: Identity | null,
  ) {
    this.#database = database;
    this.#identity = identity;
  }

  @RpcHandler(resolveLoginSessionContract)
  resolveLoginSession(
    request: ParsedRequestOf<typeof resolveLoginSessionContract>,
  ): Promise<ReplyOf<typeof resolveLoginSessionContract>> {
    return resolveLoginSession({ database: this.#database, identity: this.#identity }, request);
  }

  /** The public keys that verify access tokens, as a JWK set (RFC 7517 §5). */
  @RpcHandler(getLoginSessionKeysContract)
  async getLoginSessionKeys(): Promise<ReplyOf<typeof getLoginSessionKeysContract>> {
    return { keySet: { keys: await requireIdentity(this.#identity).signingKeys.publicKeys() } };
  }

  /** Gateways encrypt passwords with this public key. All replicas share the key pair. */
  @RpcHandler(getIdentitySealingKeyContract)
  getIdentitySealingKey(): ReplyOf<typeof getIdentitySealingKeyContract> {
    return { publicKey: requireIdentity(this.#identity).sealingKeys.publicKey };
  }

  /**
   * Returns the key with which edge gateways verify device tokens, and whether emails for forgotten passwords
   * can be sent.
   */
  @RpcHandler(getIdentitySettingsContract)
  getIdentitySettings(): ReplyOf<typeof getIdentitySettingsContract> {
    const { linkMails, devices } = requireIdentity(this.#identity);
    return { sendsMail: linkMails !== null, deviceKey: devices.publicKey };
  }

  @RpcHandler(signUpContract)
  async signUp(request: ParsedRequestOf<typeof signUpContract>): Promise<ReplyOf<typeof signUpContract>> {
    return signUp(requireIdentity(this.#identity), request);
  }

  @RpcHandler(logInContract)
  async logIn(request: ParsedRequestOf<typeof logInContract>): Promise<ReplyOf<typeof logInContract>> {
    return logIn(requireIdentity(this.#identity), request);
  }

  @RpcHandler(refreshLoginSessionContract)
  async refreshLoginSession(
    request: ParsedRequestOf<typeof refreshLoginSessionContract>,
  ): Promise<ReplyOf<typeof refreshLoginSessionContract>> {
    return refreshLoginSession(requireIdentity(this.#identity), request);
  }

  @RpcHandler(logOutContract)
  async logOut(request: ParsedRequestOf<typeof logOutContract>): Promise<ReplyOf<typeof logOutContract>> {
    return logOut(requireIdentity(this.#identity), request);
  }

  @RpcHandler(changePasswordContract)
  async changePassword(
    request: ParsedRequestOf<typeof changePasswordContract>,
  ): Promise<ReplyOf<typeof changePasswordContract>> {
    return changePassword(requireIdentity(this.#identity), request);
  }

  @RpcHandler(requestPasswordResetContract)
  async requestPasswordReset(
    request: ParsedRequestOf<typeof requestPasswordResetContract>,
  ): Promise<ReplyOf<typeof requestPasswordResetContract>> {
    return requestPasswordReset(requireIdentity(this.#identity), request);
  }

  @RpcHandler(resetPasswordContract)
  async resetPassword(
    request: ParsedRequestOf<typeof resetPasswordContract>,
  ): Promise<ReplyOf<typeof resetPasswordContract>> {
    return resetPassword(requireIdentity(this.#identity), request);
  }

  @RpcHandler(requestEmailVerificationContract)
  async requestEmailVerification(
    request: ParsedRequestOf<typeof requestEmailVerificationContract>,
  ): Promise<ReplyOf<typeof requestEmailVerificationContract>> {
    return requestEmailVerification(requireIdentity(this.#identity), request);
  }

  @RpcHandler(verifyEmailContract)
  async verifyEmail(
    request: ParsedRequestOf<typeof verifyEmailContract>,
  ): Promise<ReplyOf<typeof verifyEmailContract>> {
    return verifyEmail(requireIdentity(this.#identity), request);
  }
}
