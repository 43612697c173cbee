import { setToolLists as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { setToolLists } from './set-tool-lists.ts';

@Controller()
export class SetToolListsHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  setToolLists(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return setToolLists(this.#context, request);
  }
}
