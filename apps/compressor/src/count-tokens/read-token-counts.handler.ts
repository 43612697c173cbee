import { readTokenCounts as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import type { CountStore } from './count-store.port.ts';
import { countStoreToken } from './count-store-token.ts';

@Controller()
export class ReadTokenCountsHandler {
  readonly #store: CountStore;

  constructor(@Inject(countStoreToken) store: CountStore) {
    this.#store = store;
  }

  @RpcHandler(contract)
  async read({ blocks }: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return { counts: await this.#store.find(blocks) };
  }
}
