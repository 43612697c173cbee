import { listSessions as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { listSessions } from './list-sessions.ts';

@Controller()
export class ListSessionsHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  listSessions(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return listSessions(this.#context.database, request);
  }
}
