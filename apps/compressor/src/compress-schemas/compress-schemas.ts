import type { CompressSchemasReply } from '@gateway/contracts';
import { compressDefinition, type SchemaMode } from './compress-definition.ts';

export interface DefinitionText {
  readonly hash: string;
  readonly text: string;
}

/** Room under the 8 MiB limit of a message. */
const replyBytesMax = 7 * 1024 * 1024;
const editBytes = 64;

/** Compresses each definition. Once the reply is full, the rest is answered with no edits. */
export function compressSchemas(
  definitions: readonly DefinitionText[],
  mode: SchemaMode,
): CompressSchemasReply {
  let bytes = 0;
  const results = definitions.map(({ hash, text }) => {
    const { edits, steps } = compressDefinition(text, mode);
    const size = edits.reduce(
      (sum, { replacement }) => sum + editBytes + JSON.stringify(replacement).length,
      300,
    );
    if (bytes + size > replyBytesMax) return { hash, edits: [], steps: [] };
    bytes += size;
    return { hash, edits, steps };
  });
  return { results };
}
