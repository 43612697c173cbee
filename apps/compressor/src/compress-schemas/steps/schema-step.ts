import type { SchemaStepName } from '@gateway/contracts';
import type { ByteRange } from '@gateway/interchange';
import type { JsonNode } from '@gateway/wire-formats';
import type { SchemaWalk, ToolDefinitionText } from '../definition/tool-definition.ts';

/** What a step works on. A step only ever drops members, or parts of descriptions; it never changes or adds one. */
export interface SchemaDraft {
  readonly definition: ToolDefinitionText;
  readonly walk: SchemaWalk;
  /** Keys of the members dropped so far. Steps add to it. */
  readonly dropped: Set<JsonNode>;
  /** By string: parts of it that are cut out. Steps add to it. */
  readonly cuts: Map<JsonNode, ByteRange[]>;
}

export interface SchemaStep {
  readonly name: SchemaStepName;
  apply(draft: SchemaDraft): void;
}
