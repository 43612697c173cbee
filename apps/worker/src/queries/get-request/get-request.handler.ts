import { getRequest as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { getRequest } from './get-request.ts';

@Controller()
export class GetRequestHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  getRequest(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return getRequest(this.#context.database, request);
  }
}
