import { logOut as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { requireIdentity } from '../identity/require-identity.ts';
import { logOut } from './log-out.ts';

@Controller()
export class LogOutHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  async logOut(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return logOut(requireIdentity(this.#context), request);
  }
}
