import { forgetAccountCredentials as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { VAULT_CONTEXT, type VaultContext } from '../domain/vault-context.ts';
import { forgetAccount } from './forget-account.ts';

@Controller()
export class ForgetAccountHandler {
  readonly #context: VaultContext;

  constructor(@Inject(VAULT_CONTEXT) context: VaultContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  forgetAccount(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return forgetAccount(this.#context, request);
  }
}
