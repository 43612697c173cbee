import { getPreferences as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_CONTEXT, type AccountContext } from '../domain/account-context.ts';
import { getPreferences } from './get-preferences.ts';

@Controller()
export class GetPreferencesHandler {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  getPreferences(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return getPreferences(this.#context, request);
  }
}
