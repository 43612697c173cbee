import type { ChatPart, JsonObject, ThinkingPart } from '@gateway/interchange';
import { parseObject } from '../../json/parse-json.ts';
import { asList, asText, isObject, optional } from '../../json/read-members.ts';
import { own } from './settings.ts';

/**
 * Prefix of the signature for reasoning from the responses format. Clients that use other formats return the
 * signature together with the reasoning in the next turn. Signatures without the prefix `responses.` come from
 * other providers. Such signatures are not sent, because the provider would reject them as encrypted reasoning.
 */
const signaturePrefix = 'responses.';

/**
 * Prefix of `encrypted_content` that the gateway creates for reasoning from other formats. The encrypted content
 * contains the signature from the other provider. The other provider verifies the signature in the next turn.
 */
export const sealPrefix = 'gateway.';

/**
 * Separator between the parts of a reasoning summary. In other formats, the parts of a summary form one text.
 */
export const summarySeparator = '\n\n';

/**
 * Renders the field `encrypted_content` of a reasoning item. Returns undefined for reasoning without a
 * signature and without redacted data.
 */
export function sealReasoning({ signature, redacted }: ThinkingPart): string | undefined {
  if (signature?.startsWith(signaturePrefix) === true) return signature.slice(signaturePrefix.length);
  return signature === undefined && redacted === undefined ? undefined : seal({ signature, redacted });
}

/**
 * Renders `encrypted_content` for a reasoning item that contains only a tool call's signature. Function
 * call items have no signature field, but Gemini requires the signature in the next turn. All clients send
 * reasoning items back, so the signature is sent in a reasoning item before the call.
 */
export function sealCallSignature(callSignature: string): string {
  return seal({ callSignature });
}

/** Returns the signature that `sealCallSignature` stored in the item. The next tool call has this signature. */
export function openCallSignature(item: JsonObject): string | undefined {
  const encrypted = asText(item.encrypted_content);
  return encrypted?.startsWith(sealPrefix) === true ? asText(open(encrypted).callSignature) : undefined;
}

function seal(content: object): string {
  return sealPrefix + Buffer.from(JSON.stringify(content)).toString('base64url');
}

function open(encrypted: string): JsonObject {
  const text = Buffer.from(encrypted.slice(sealPrefix.length), 'base64url').toString('utf8');
  return parseObject(text) ?? {};
}

/**
 * Decodes the string that `sealReasoning` produced. Encrypted content that the gateway did not create comes
 * from a provider that uses the responses format.
 */
function openReasoning(encrypted: string): Pick<ThinkingPart, 'signature' | 'redacted'> {
  if (!encrypted.startsWith(sealPrefix)) return { signature: signReasoning(encrypted) };
  const { signature, redacted } = open(encrypted);
  return { ...optional('signature', asText(signature)), ...optional('redacted', asText(redacted)) };
}

export function signReasoning(encrypted: string): string {
  return signaturePrefix + encrypted;
}

/** The position of a visible text in a reasoning item. */
export interface ReasoningPlace {
  /** The index field in stream events. Only open-weight models send `content`, the complete reasoning. */
  readonly member: 'summary_index' | 'content_index';
  readonly index: number;
}

/** Reads the visible texts of a reasoning item, first the summary and then the complete reasoning. */
export function readReasoningTexts(item: JsonObject): (ReasoningPlace & { readonly text: string })[] {
  const read = (list: unknown, member: ReasoningPlace['member']) =>
    asList(list).flatMap((part, index) => {
      const text = isObject(part) ? asText(part.text) : undefined;
      return text === undefined ? [] : [{ member, index, text }];
    });
  return [...read(item.summary, 'summary_index'), ...read(item.content, 'content_index')];
}

/** Joins the visible texts of a reasoning item. */
export function joinReasoningTexts(item: JsonObject): string {
  return readReasoningTexts(item)
    .map(({ text }) => text)
    .join(summarySeparator);
}

/**
 * Returns the events for a text in a reasoning item. In other formats, all texts of a reasoning item form one
 * text, so a separator precedes each text after the first. The event's extensions record the position of the text.
 */
export function reasoningDelta(text: string, place: ReasoningPlace | undefined, isFirst: boolean) {
  const isUsual = place === undefined || (place.member === 'summary_index' && isFirst);
  return {
    text: isFirst || place === undefined ? text : summarySeparator + text,
    ...(isUsual ? {} : { extensions: own.of({ place }) }),
  };
}

/** Reads the position that `reasoningDelta` wrote. */
export function readReasoningPlace(event: Parameters<typeof own.read>[0]): ReasoningPlace | undefined {
  return own.read(event).place as ReasoningPlace | undefined;
}

/**
 * Parses a reasoning item in a request. Providers that use the responses format receive the reasoning item
 * unchanged.
 */
export function parseReasoning(item: JsonObject): ChatPart {
  const encrypted = asText(item.encrypted_content);
  return {
    type: 'thinking',
    text: joinReasoningTexts(item),
    ...(encrypted === undefined ? {} : openReasoning(encrypted)),
    extensions: own.of({ reasoning: item }),
  };
}

/**
 * Renders reasoning as an item. Returns undefined for reasoning from a provider that uses another format. An
 * item rendered from a signature has no id, because ids refer to stored responses.
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
