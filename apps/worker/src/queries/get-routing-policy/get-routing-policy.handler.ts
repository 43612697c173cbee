import { getRoutingPolicy as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { getRoutingPolicy } from './get-routing-policy.ts';

@Controller()
export class GetRoutingPolicyHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  getRoutingPolicy(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return getRoutingPolicy(this.#context.database, request);
  }
}
