import { observeModels as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { observeModels } from './observe-models.ts';

@Controller()
export class ObserveModelsHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  observeModels(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return observeModels(this.#context.database, request);
  }
}
