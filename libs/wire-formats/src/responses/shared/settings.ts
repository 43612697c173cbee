import type { ChatSettings, JsonObject, ResponseFormat, TokenUsage } from '@gateway/interchange';
import { ownMembersOf } from '../../common/own-members.ts';
import { asObject, asText, asTokens, optional, type Draft } from '../../json/read-members.ts';

/**
 * Extension fields that only the responses format defines. If an item has fields that the interchange lacks,
 * the part's `item` contains these fields. `isJoined` marks a message part that belongs to the same item as
 * the previous part.
 */
export const own = ownMembersOf('responses');

/** Numeric request fields, each with the name of the interchange setting. */
export const numberSettings = [
  ['max_output_tokens', 'maxOutputTokens'],
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
] as const;

/** Settings that the responses format lacks, each with the field name for the loss. */
export const absentSettings = [
  ['stop', 'stopSequences'],
  ['seed', 'seed'],
  ['frequency_penalty', 'frequencyPenalty'],
  ['presence_penalty', 'presencePenalty'],
  ['top_k', 'topK'],
] as const satisfies readonly (readonly [string, keyof ChatSettings])[];

/** Parses the field `text.format`. Returns undefined for a response format with an unknown shape. */
export function parseTextFormat(raw: unknown): ResponseFormat | undefined {
  const format = asObject(raw);
  if (format?.type === 'text') return { type: 'text' };
  if (format?.type === 'json_object') return { type: 'json' };
  if (format?.type !== 'json_schema' || format.schema === undefined) return undefined;
  return {
    type: 'json-schema',
    name: asText(format.name),
    schema: format.schema,
    ...optional('strict', typeof format.strict === 'boolean' ? format.strict : undefined),
    ...optional('description', asText(format.description)),
  };
}

export function renderTextFormat(format: ResponseFormat): JsonObject {
  switch (format.type) {
    case 'text':
      return { type: 'text' };
    case 'json':
      return { type: 'json_object' };
    case 'json-schema': {
      const { name, schema, strict, description } = format;
      const described = { ...optional('strict', strict), ...optional('description', description) };
      // The responses format requires a schema name, which some formats do not have.
      return { type: 'json_schema', name: name ?? 'answer', schema, ...described };
    }
  }
}

/**
 * Reads token counts. The field `input_tokens` includes cached tokens. Returns undefined if `input_tokens` is
 * missing or invalid.
 */
export function parseUsage(usage: JsonObject): TokenUsage | undefined {
  const inputTokens = asTokens(usage.input_tokens);
  if (inputTokens === undefined) return undefined;
  const input = asObject(usage.input_tokens_details) ?? {};
  const output = asObject(usage.output_tokens_details) ?? {};
  const cached = asTokens(input.cached_tokens);
  const written = asTokens(input.cache_write_tokens);
  const reasoning = asTokens(output.reasoning_tokens);
  const counts: Draft<TokenUsage> = { inputTokens, outputTokens: asTokens(usage.output_tokens) ?? 0 };
  if (cached !== undefined) counts.cachedInputTokens = cached;
  if (written !== undefined) counts.cacheWriteTokens = written;
  if (reasoning !== undefined) counts.reasoningTokens = reasoning;
  return counts;
}
