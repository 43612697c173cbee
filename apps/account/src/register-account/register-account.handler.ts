import { registerAccount as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { registerAccount } from './register-account.ts';

@Controller()
export class RegisterAccountHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  registerAccount(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return registerAccount(this.#context, request);
  }
}
