import { readContent as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { readContent } from './read-content.ts';

@Controller()
export class ReadContentHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  readContent(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return readContent(this.#context.database, this.#context.contentKeys, request);
  }
}
