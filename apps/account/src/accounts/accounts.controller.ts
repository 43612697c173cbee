import {
  attachPerson as attachPersonContract,
  createAccount as createAccountContract,
  getAccount as getAccountContract,
  noteCredentialChange as noteCredentialChangeContract,
  registerAccount as registerAccountContract,
  updateAccount as updateAccountContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import { ChangeAnnouncer } from '../announce/change-announcer.ts';
import { describePerson } from '../identity/identity.ts';
import { IDENTITY, type Identity } from '../identity/identity.ts';
import { ACCOUNT_DATABASE, type AccountDatabase } from '../persistence/account-database.ts';
import { attachPerson, createAccount, registerAccount } from './create-account.ts';
import { getAccount, noteCredentialChange, updateAccount, type AccountsContext } from './manage-account.ts';

/** Implements the RPC contracts for accounts and the people in accounts. */
@Controller()
export class AccountsController {
  readonly #context: AccountsContext;
  readonly #identity: Identity | null;

  constructor(
    @Inject(ACCOUNT_DATABASE) database: AccountDatabase,
    @Inject(ChangeAnnouncer) changes: ChangeAnnouncer,
    @Inject(IDENTITY) identity: Identity | null,
  ) {
    const embeddedIssuer = identity?.issuer ?? null;
    this.#context = { database, changes, embeddedIssuer };
    this.#identity = identity;
  }

  @RpcHandler(createAccountContract)
  createAccount(
    request: ParsedRequestOf<typeof createAccountContract>,
  ): Promise<ReplyOf<typeof createAccountContract>> {
    return createAccount(this.#context, request);
  }

  @RpcHandler(registerAccountContract)
  registerAccount(
    request: ParsedRequestOf<typeof registerAccountContract>,
  ): Promise<ReplyOf<typeof registerAccountContract>> {
    return registerAccount(this.#context, request);
  }

  @RpcHandler(attachPersonContract)
  attachPerson(
    request: ParsedRequestOf<typeof attachPersonContract>,
  ): Promise<ReplyOf<typeof attachPersonContract>> {
    return attachPerson(this.#context, request);
  }

  @RpcHandler(getAccountContract)
  async getAccount(
    request: ParsedRequestOf<typeof getAccountContract>,
  ): Promise<ReplyOf<typeof getAccountContract>> {
    const { account } = await getAccount(this.#context, request);
    return { account, person: await describePerson(this.#context.database, this.#identity, request) };
  }

  @RpcHandler(updateAccountContract)
  updateAccount(
    request: ParsedRequestOf<typeof updateAccountContract>,
  ): Promise<ReplyOf<typeof updateAccountContract>> {
    return updateAccount(this.#context, request);
  }

  @RpcHandler(noteCredentialChangeContract)
  noteCredentialChange(
    request: ParsedRequestOf<typeof noteCredentialChangeContract>,
  ): Promise<ReplyOf<typeof noteCredentialChangeContract>> {
    return noteCredentialChange(this.#context, request);
  }
}
