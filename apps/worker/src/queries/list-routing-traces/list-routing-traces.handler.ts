import { listRoutingTraces as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { listRoutingTraces } from './list-routing-traces.ts';

@Controller()
export class ListRoutingTracesHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  listRoutingTraces(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return listRoutingTraces(this.#context.database, request);
  }
}
