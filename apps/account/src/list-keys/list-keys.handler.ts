import { listKeys as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { listKeys } from './list-keys.ts';

@Controller()
export class ListKeysHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  listKeys(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return listKeys(this.#context, request);
  }
}
