import { getSealingKey as contract } from '@gateway/contracts';
import { RpcHandler, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { VAULT_CONTEXT, type VaultContext } from '../domain/vault-context.ts';
import { getSealingKey } from './get-sealing-key.ts';

@Controller()
export class GetSealingKeyHandler {
  readonly #context: VaultContext;

  constructor(@Inject(VAULT_CONTEXT) context: VaultContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  getSealingKey(): Promise<ReplyOf<typeof contract>> {
    return getSealingKey(this.#context);
  }
}
