import { authenticateKey as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { authenticateKey } from './authenticate-key.ts';

@Controller()
export class AuthenticateKeyHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  authenticateKey(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return authenticateKey(this.#context, request);
  }
}
