import { getSessionKeys as contract } from '@gateway/contracts';
import { RpcHandler, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { requireIdentity } from '../identity/require-identity.ts';
import { getSessionKeys } from './get-session-keys.ts';

@Controller()
export class GetSessionKeysHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  async getSessionKeys(): Promise<ReplyOf<typeof contract>> {
    return getSessionKeys(requireIdentity(this.#context));
  }
}
