import { recallOriginals as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import type { OriginalStore } from '../originals/original-store.port.ts';
import { originalStoreToken } from '../originals/originals-token.ts';
import { recallOriginals } from './recall-originals.ts';

@Controller()
export class RecallOriginalsHandler {
  readonly #store: OriginalStore;

  constructor(@Inject(originalStoreToken) store: OriginalStore) {
    this.#store = store;
  }

  @RpcHandler(contract)
  recall(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return recallOriginals(request, this.#store);
  }
}
