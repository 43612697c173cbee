import { summarizeUsage as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { summarizeUsage } from './summarize-usage.ts';

@Controller()
export class SummarizeUsageHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  summarizeUsage(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return summarizeUsage(this.#context.database, request);
  }
}
