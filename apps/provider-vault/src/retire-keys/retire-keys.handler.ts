import { retireKeys as contract } from '@gateway/contracts';
import { RpcHandler, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { VAULT_CONTEXT, type VaultContext } from '../domain/vault-context.ts';
import { retireKeys } from './retire-keys.ts';

@Controller()
export class RetireKeysHandler {
  readonly #context: VaultContext;

  constructor(@Inject(VAULT_CONTEXT) context: VaultContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  retireKeys(): Promise<ReplyOf<typeof contract>> {
    return retireKeys(this.#context);
  }
}
