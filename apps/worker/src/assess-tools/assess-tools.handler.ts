import { assessTools as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../domain/worker-context.ts';
import { assessTools } from './assess-tools.ts';

@Controller()
export class AssessToolsHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  assessTools(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    const { database, readMeanings } = this.#context;
    return assessTools(database, request, readMeanings);
  }
}
