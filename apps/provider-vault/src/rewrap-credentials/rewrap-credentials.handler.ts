import { rewrapCredentials as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { VAULT_CONTEXT, type VaultContext } from '../domain/vault-context.ts';
import { rewrapCredentials } from './rewrap-credentials.ts';

@Controller()
export class RewrapCredentialsHandler {
  readonly #context: VaultContext;

  constructor(@Inject(VAULT_CONTEXT) context: VaultContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  rewrapCredentials(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return rewrapCredentials(this.#context, request);
  }
}
