import { listRecallAlerts as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { listRecallAlerts } from './list-recall-alerts.ts';

@Controller()
export class ListRecallAlertsHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  listRecallAlerts(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return listRecallAlerts(this.#context.database, request);
  }
}
