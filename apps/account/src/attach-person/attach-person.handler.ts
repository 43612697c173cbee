import { attachPerson as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { attachPerson } from './attach-person.ts';

@Controller()
export class AttachPersonHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  attachPerson(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return attachPerson(this.#context, request);
  }
}
