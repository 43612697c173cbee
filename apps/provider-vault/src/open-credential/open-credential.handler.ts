import { openCredential as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { VAULT_CONTEXT, type VaultContext } from '../domain/vault-context.ts';
import { openCredential } from './open-credential.ts';

@Controller()
export class OpenCredentialHandler {
  readonly #context: VaultContext;

  constructor(@Inject(VAULT_CONTEXT) context: VaultContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  openCredential(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return openCredential(this.#context, request);
  }
}
