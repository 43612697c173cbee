import { listDisabledModels as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { listDisabledModels } from './list-disabled-models.ts';

@Controller()
export class ListDisabledModelsHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  listDisabledModels(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return listDisabledModels(this.#context, request);
  }
}
