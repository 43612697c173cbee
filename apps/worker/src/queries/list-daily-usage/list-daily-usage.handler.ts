import { listDailyUsage as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { listDailyUsage } from './list-daily-usage.ts';

@Controller()
export class ListDailyUsageHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  listDailyUsage(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return listDailyUsage(this.#context.database, request);
  }
}
