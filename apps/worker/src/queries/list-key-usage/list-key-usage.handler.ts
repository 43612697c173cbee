import { listKeyUsage as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { listKeyUsage } from './list-key-usage.ts';

@Controller()
export class ListKeyUsageHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  listKeyUsage(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return listKeyUsage(this.#context.database, request);
  }
}
