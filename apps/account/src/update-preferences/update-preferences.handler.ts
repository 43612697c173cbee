import { updatePreferences as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { updatePreferences } from './update-preferences.ts';

@Controller()
export class UpdatePreferencesHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  updatePreferences(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return updatePreferences(this.#context, request);
  }
}
