import { refreshSession as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { requireIdentity } from '../identity/require-identity.ts';
import { refreshSession } from './refresh-session.ts';

@Controller()
export class RefreshSessionHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  async refreshSession(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return refreshSession(requireIdentity(this.#context), request);
  }
}
