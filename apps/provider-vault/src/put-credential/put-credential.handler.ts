import { putCredential as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { VAULT_CONTEXT, type VaultContext } from '../domain/vault-context.ts';
import { putCredential } from './put-credential.ts';

@Controller()
export class PutCredentialHandler {
  readonly #context: VaultContext;

  constructor(@Inject(VAULT_CONTEXT) context: VaultContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  putCredential(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return putCredential(this.#context, request);
  }
}
