import { defineTools, type DefineToolsRequest } from '@gateway/contracts';
import { RpcHandler, type ReplyOf } from '@gateway/messaging';
import { withSpan } from '@gateway/observability';
import { Controller, Inject } from '@nestjs/common';
import type { ToolDefinitions } from './tool-definitions.port.ts';
import { ToolMemory } from './tool-memory.adapter.ts';

@Controller()
export class DefineToolsHandler {
  readonly #definitions: ToolDefinitions;

  constructor(@Inject(ToolMemory) definitions: ToolDefinitions) {
    this.#definitions = definitions;
  }

  @RpcHandler(defineTools)
  define({ tools }: DefineToolsRequest): ReplyOf<typeof defineTools> {
    return withSpan('tool-router.define', { 'gateway.tools': tools.length }, () => {
      this.#definitions.define(tools);
      return { known: tools.length };
    });
  }
}
