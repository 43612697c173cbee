import { listToolHealth as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { listToolHealth } from './list-tool-health.ts';

@Controller()
export class ListToolHealthHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  listToolHealth(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return listToolHealth(this.#context.database, request);
  }
}
