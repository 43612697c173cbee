import {
  changePassword as changePasswordContract,
  getIdentitySealingKey as getIdentitySealingKeyContract,
  getLoginSessionKeys as getLoginSessionKeysContract,
  logIn as logInContract,
  logOut as logOutContract,
  refreshLoginSession as refreshLoginSessionContract,
  resolveLoginSession as resolveLoginSessionContract,
  signUp as signUpContract,
} from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_DATABASE, type AccountDatabase } from '../persistence/account-database.ts';
import { changePassword } from './change-password.ts';
import { IDENTITY, requireIdentity, type Identity } from './identity.ts';
import { logIn } from './log-in.ts';
import { logOut, refreshLoginSession, resolveLoginSession } from './login-sessions.ts';
import { signUp } from './sign-up.ts';

/**
 * Implements the contracts for the embedded identity service, and resolves login sessions from any issuer.
 */
@Controller()
export class IdentityController {
  readonly #database: AccountDatabase;
  readonly #identity: Identity | null;

  constructor(
    @Inject(ACCOUNT_DATABASE) database: AccountDatabase,
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

  /** Gateways encrypt passwords to this public key. All replicas share it. */
  @RpcHandler(getIdentitySealingKeyContract)
  getIdentitySealingKey(): ReplyOf<typeof getIdentitySealingKeyContract> {
    return { publicKey: requireIdentity(this.#identity).sealingKeys.publicKey };
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
}
