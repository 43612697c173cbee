import { storeContent as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../domain/worker-context.ts';
import { storeContent } from './store-content.ts';

@Controller()
export class StoreContentHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  storeContent(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return storeContent(this.#context.database, this.#context.contentKeys, request);
  }
}
