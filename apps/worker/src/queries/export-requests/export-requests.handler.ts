import { exportRequests as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { exportRequests } from './export-requests.ts';

@Controller()
export class ExportRequestsHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  exportRequests(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return exportRequests(this.#context.database, request);
  }
}
