import { listDailyAnalytics as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { listDailyAnalytics } from './list-daily-analytics.ts';

@Controller()
export class ListDailyAnalyticsHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  listDailyAnalytics(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return listDailyAnalytics(this.#context.database, request);
  }
}
