import { listRequests as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { listRequests } from './list-requests.ts';

@Controller()
export class ListRequestsHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  listRequests(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return listRequests(this.#context.database, request);
  }
}
