import { createPlaygroundKey as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { createPlaygroundKey } from './create-playground-key.ts';

@Controller()
export class CreatePlaygroundKeyHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  createPlaygroundKey(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return createPlaygroundKey(this.#context, request);
  }
}
