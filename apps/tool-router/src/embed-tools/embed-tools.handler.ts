import { embedTools } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { withSpan } from '@gateway/observability';
import { Controller, Inject } from '@nestjs/common';
import { ToolEmbedding } from './embed-tools.ts';

@Controller()
export class EmbedToolsHandler {
  readonly #embedding: ToolEmbedding;

  constructor(@Inject(ToolEmbedding) embedding: ToolEmbedding) {
    this.#embedding = embedding;
  }

  @RpcHandler(embedTools)
  embed(request: ParsedRequestOf<typeof embedTools>): Promise<ReplyOf<typeof embedTools>> {
    return withSpan('tool-router.embed', { 'gateway.tools': request.tools.length }, () =>
      this.#embedding.embed(request),
    );
  }
}
