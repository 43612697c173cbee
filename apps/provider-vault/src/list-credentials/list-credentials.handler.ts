import { listCredentials as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { VAULT_CONTEXT, type VaultContext } from '../domain/vault-context.ts';
import { listCredentials } from './list-credentials.ts';

@Controller()
export class ListCredentialsHandler {
  readonly #context: VaultContext;

  constructor(@Inject(VAULT_CONTEXT) context: VaultContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  listCredentials(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return listCredentials(this.#context, request);
  }
}
