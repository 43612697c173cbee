import type { SchemaStepName } from '@gateway/contracts';
import type { ByteRange } from '@gateway/interchange';
import type { JsonNode } from '@gateway/wire-formats';
import type { SchemaWalk, ToolDefinitionText } from '../definition/tool-definition.ts';

/**
 * The input and output of a schema compression step. A step only drops fields or parts of descriptions. A step
 * never changes or adds text.
 */
export interface SchemaDraft {
  readonly definition: ToolDefinitionText;
  readonly walk: SchemaWalk;
  /** Keys of the dropped fields, collected from all steps. */
  readonly dropped: Set<JsonNode>;
  /** The removed parts of each string, collected from all steps. */
  readonly cuts: Map<JsonNode, ByteRange[]>;
}

export interface SchemaStep {
  readonly name: SchemaStepName;
  apply(draft: SchemaDraft): void;
}
