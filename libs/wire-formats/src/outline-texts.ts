import type { MessageOutline } from '@gateway/interchange';
import type { JsonNode } from './json/json-node.ts';
import type { JsonTape } from './json/json-tape.ts';

/** The texts of a message, by the strings that they stand in: where, and decoded. */
export function outlineTexts(
  tape: JsonTape,
  nodes: () => readonly JsonNode[],
): Pick<MessageOutline, 'text' | 'textRanges'> {
  return {
    textRanges: () => nodes().map((node) => tape.range(node)),
    text: () =>
      nodes()
        .map((node) => tape.stringValue(node) ?? '')
        .join('\n'),
  };
}
