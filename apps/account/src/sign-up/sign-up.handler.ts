import { signUp as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { requireIdentity } from '../identity/require-identity.ts';
import { signUp } from './sign-up.ts';

@Controller()
export class SignUpHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  async signUp(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return signUp(requireIdentity(this.#context), request);
  }
}
