import { applyEdits } from '@gateway/wire-formats';
import { compressDefinition, type SchemaMode } from './compress-schemas.ts';

/** Returns the tool definition after its edits. */
export function compressedText(text: string, mode: SchemaMode = 'lossless'): string {
  return applyEdits(Buffer.from(text), compressDefinition(text, mode).edits).toString();
}

/**
 * Compresses a chat-completions tool with this schema. Returns the resulting schema and the compression steps
 * that changed the tool definition.
 */
export function compressedSchema(
  schema: unknown,
  name = 'create_issue',
): { schema: unknown; steps: string[] } {
  const text = JSON.stringify({ type: 'function', function: { name, parameters: schema } });
  const compressed = JSON.parse(compressedText(text)) as { function: { parameters: unknown } };
  return {
    schema: compressed.function.parameters,
    steps: compressDefinition(text, 'lossless').steps.map(({ step }) => step),
  };
}
