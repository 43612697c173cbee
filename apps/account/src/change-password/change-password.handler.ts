import { changePassword as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { requireIdentity } from '../identity/require-identity.ts';
import { changePassword } from './change-password.ts';

@Controller()
export class ChangePasswordHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  async changePassword(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return changePassword(requireIdentity(this.#context), request);
  }
}
