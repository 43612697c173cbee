import { getAccountDeletion as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { getAccountDeletion } from './get-account-deletion.ts';

@Controller()
export class GetAccountDeletionHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  getAccountDeletion(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return getAccountDeletion(this.#context, request);
  }
}
