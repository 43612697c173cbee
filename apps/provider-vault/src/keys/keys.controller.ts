import {
  activateKey as activateKeyContract,
  getSealingKey as getSealingKeyContract,
  retireKeys as retireKeysContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import { KeyRing } from '../encryption/key-ring.ts';
import { activateKey, getSealingKey, retireKeys, type KeysContext } from './change-keys.ts';
import { KeyVersions } from './key-versions.ts';
import { SealingKeys } from './sealing-keys.ts';

/** Implements the RPC contracts for sealing keys and key-encryption keys. */
@Controller()
export class KeysController {
  readonly #context: KeysContext;

  constructor(
    @Inject(KeyRing) keyRing: KeyRing,
    @Inject(KeyVersions) keyVersions: KeyVersions,
    @Inject(SealingKeys) sealingKeys: SealingKeys,
  ) {
    this.#context = { keyRing, keyVersions, sealingKeys };
  }

  @RpcHandler(getSealingKeyContract)
  getSealingKey(): Promise<ReplyOf<typeof getSealingKeyContract>> {
    return getSealingKey(this.#context);
  }

  @RpcHandler(activateKeyContract)
  activateKey(
    request: ParsedRequestOf<typeof activateKeyContract>,
  ): Promise<ReplyOf<typeof activateKeyContract>> {
    return activateKey(this.#context, request);
  }

  @RpcHandler(retireKeysContract)
  retireKeys(): Promise<ReplyOf<typeof retireKeysContract>> {
    return retireKeys(this.#context);
  }
}
