import { logIn as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { requireIdentity } from '../identity/require-identity.ts';
import { logIn } from './log-in.ts';

@Controller()
export class LogInHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  async logIn(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return logIn(requireIdentity(this.#context), request);
  }
}
