import { deleteCredential as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { VAULT_CONTEXT, type VaultContext } from '../domain/vault-context.ts';
import { deleteCredential } from './delete-credential.ts';

@Controller()
export class DeleteCredentialHandler {
  readonly #context: VaultContext;

  constructor(@Inject(VAULT_CONTEXT) context: VaultContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  deleteCredential(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return deleteCredential(this.#context, request);
  }
}
