import { getIdentitySealingKey as contract } from '@gateway/contracts';
import { RpcHandler, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { requireIdentity } from '../identity/require-identity.ts';
import { getIdentitySealingKey } from './get-identity-sealing-key.ts';

@Controller()
export class GetIdentitySealingKeyHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  getIdentitySealingKey(): ReplyOf<typeof contract> {
    return getIdentitySealingKey(requireIdentity(this.#context));
  }
}
