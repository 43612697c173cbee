import { listToolSuggestions as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { listToolSuggestions } from './list-tool-suggestions.ts';

@Controller()
export class ListToolSuggestionsHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  listToolSuggestions(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return listToolSuggestions(this.#context.database, request);
  }
}
