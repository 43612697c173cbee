import type { ToolDefinition } from '@gateway/contracts';

/** Where definitions are learned. One that is known already stays as it is: a definition never changes under its hash. */
export interface ToolDefinitions {
  define(tools: readonly ToolDefinition[]): void | Promise<void>;
}
