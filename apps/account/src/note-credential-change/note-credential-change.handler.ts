import { noteCredentialChange as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { noteCredentialChange } from './note-credential-change.ts';

@Controller()
export class NoteCredentialChangeHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  noteCredentialChange(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return noteCredentialChange(this.#context, request);
  }
}
