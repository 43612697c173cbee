import { resolveSession as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { resolveSession } from './resolve-session.ts';

@Controller()
export class ResolveSessionHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  resolveSession(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return resolveSession(this.#context, request);
  }
}
