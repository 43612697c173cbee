import { activateKey as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { VAULT_CONTEXT, type VaultContext } from '../domain/vault-context.ts';
import { activateKey } from './activate-key.ts';

@Controller()
export class ActivateKeyHandler {
  readonly #context: VaultContext;

  constructor(@Inject(VAULT_CONTEXT) context: VaultContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  activateKey(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return activateKey(this.#context, request);
  }
}
