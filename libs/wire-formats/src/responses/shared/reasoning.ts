import type { ChatPart, JsonObject, ThinkingPart } from '@gateway/interchange';
import { parseObject } from '../../json/parse-json.ts';
import { asList, asText, isObject, optional } from '../../json/read-members.ts';
import { own } from './settings.ts';

/**
 * Starts the signature of reasoning from this format. Clients of other formats return the signature with the
 * reasoning in the next turn. Signatures of other providers do not have this prefix, so they are never sent as
 * encrypted reasoning, which the provider would reject.
 */
const signaturePrefix = 'responses.';

/**
 * Starts the encrypted content that the gateway renders for reasoning of other formats. The content carries the
 * other provider's signature, which the provider checks in the next turn.
 */
const sealPrefix = 'gateway.';

/** Between the parts of a summary, which form one text in other formats. */
export const summarySeparator = '\n\n';

/** Renders the encrypted content of a reasoning item. Undefined for reasoning without a signature. */
export function sealReasoning({ signature, redacted }: ThinkingPart): string | undefined {
  if (signature?.startsWith(signaturePrefix) === true) return signature.slice(signaturePrefix.length);
  if (signature === undefined && redacted === undefined) return undefined;
  return sealPrefix + Buffer.from(JSON.stringify({ signature, redacted })).toString('base64url');
}

/** Reverses `sealReasoning`. Content that the gateway did not render belongs to this format. */
function openReasoning(encrypted: string): Pick<ThinkingPart, 'signature' | 'redacted'> {
  if (!encrypted.startsWith(sealPrefix)) return { signature: signReasoning(encrypted) };
  const text = Buffer.from(encrypted.slice(sealPrefix.length), 'base64url').toString('utf8');
  const { signature, redacted } = parseObject(text) ?? {};
  return { ...optional('signature', asText(signature)), ...optional('redacted', asText(redacted)) };
}

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
    ...(encrypted === undefined ? {} : openReasoning(encrypted)),
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
