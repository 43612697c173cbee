import { revokeKey as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { revokeKey } from './revoke-key.ts';

@Controller()
export class RevokeKeyHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  revokeKey(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return revokeKey(this.#context, request);
  }
}
