import { updateKey as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { updateKey } from './update-key.ts';

@Controller()
export class UpdateKeyHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  updateKey(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return updateKey(this.#context, request);
  }
}
