import type { ChatPart, JsonObject, ThinkingPart } from '@gateway/interchange';
import { asList, asText, isObject, optional } from '../../json/read-members.ts';
import { own } from './settings.ts';

/**
 * Starts the signature of reasoning from this format. Clients of other formats return the signature with the
 * reasoning in the next turn. Signatures of other providers do not have this prefix, so they are never sent as
 * encrypted reasoning, which the provider would reject.
 */
const signaturePrefix = 'responses.';

/** Between the parts of a summary, which form one text in other formats. */
export const summarySeparator = '\n\n';

export function signReasoning(encrypted: string): string {
  return signaturePrefix + encrypted;
}

/** Reads the visible text of a reasoning item: its summary, then the reasoning itself (open models). */
export function readReasoningTexts(item: JsonObject): string[] {
  return [...asList(item.summary), ...asList(item.content)]
    .filter(isObject)
    .flatMap((part) => asText(part.text) ?? []);
}

/** Parses a reasoning item of a request. The item is sent unchanged to providers of this format. */
export function parseReasoning(item: JsonObject): ChatPart {
  const encrypted = asText(item.encrypted_content);
  return {
    type: 'thinking',
    text: readReasoningTexts(item).join(summarySeparator),
    ...optional('signature', encrypted === undefined ? undefined : signReasoning(encrypted)),
    extensions: own.of({ reasoning: item }),
  };
}

/**
 * Renders reasoning as an item. Returns undefined for reasoning that this format did not encrypt. The item has
 * no id, because ids refer to stored responses.
 */
export function renderReasoning(part: ThinkingPart): JsonObject | undefined {
  const { reasoning } = own.read(part);
  if (isObject(reasoning)) return reasoning;
  if (part.signature?.startsWith(signaturePrefix) !== true) return undefined;
  return {
    type: 'reasoning',
    summary: part.text === '' ? [] : [{ type: 'summary_text', text: part.text }],
    encrypted_content: part.signature.slice(signaturePrefix.length),
  };
}
