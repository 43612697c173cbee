import { createAccount as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { createAccount } from './create-account.ts';

@Controller()
export class CreateAccountHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  createAccount(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return createAccount(this.#context, request);
  }
}
