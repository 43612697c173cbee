import { toggleModel as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { toggleModel } from './toggle-model.ts';

@Controller()
export class ToggleModelHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  toggleModel(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return toggleModel(this.#context, request);
  }
}
