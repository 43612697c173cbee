import { rotateKey as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { rotateKey } from './rotate-key.ts';

@Controller()
export class RotateKeyHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  rotateKey(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return rotateKey(this.#context, request);
  }
}
