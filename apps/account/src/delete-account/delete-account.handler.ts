import { deleteAccount as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { deleteAccount } from './delete-account.ts';

@Controller()
export class DeleteAccountHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  deleteAccount(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return deleteAccount(this.#context, request);
  }
}
