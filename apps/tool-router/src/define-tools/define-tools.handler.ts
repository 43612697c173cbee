import { defineTools, type DefineToolsRequest } from '@gateway/contracts';
import { RpcHandler, type ReplyOf } from '@gateway/messaging';
import { withSpan } from '@gateway/observability';
import { Controller, Inject } from '@nestjs/common';
import type { ToolDefinitions } from './tool-definitions.port.ts';
import { toolDefinitions } from './tool-definitions.token.ts';

@Controller()
export class DefineToolsHandler {
  readonly #definitions: ToolDefinitions;

  constructor(@Inject(toolDefinitions) definitions: ToolDefinitions) {
    this.#definitions = definitions;
  }

  @RpcHandler(defineTools)
  define({ tools }: DefineToolsRequest): Promise<ReplyOf<typeof defineTools>> {
    return withSpan('tool-router.define', { 'gateway.tools': tools.length }, async () => {
      await this.#definitions.define(tools);
      return { known: tools.length };
    });
  }
}
