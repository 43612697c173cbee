import { createKey as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { createKey } from './create-key.ts';

@Controller()
export class CreateKeyHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  createKey(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return createKey(this.#context, request);
  }
}
