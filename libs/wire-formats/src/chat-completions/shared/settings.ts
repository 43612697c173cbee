import type { ChatSettings, JsonObject, ResponseFormat } from '@gateway/interchange';
import { isDeepStrictEqual } from 'node:util';
import { asObject, asText, optional } from '../../json/read-members.ts';

type SettingOf<Value> = {
  [Name in keyof ChatSettings]-?: NonNullable<ChatSettings[Name]> extends Value ? Name : never;
}[keyof ChatSettings];

/** Request fields, each with the corresponding interchange setting. */
export const numberSettings = [
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['seed', 'seed'],
  ['frequency_penalty', 'frequencyPenalty'],
  ['presence_penalty', 'presencePenalty'],
  ['n', 'answers'],
] as const satisfies readonly (readonly [string, SettingOf<number>])[];

export const textSettings = [
  ['reasoning_effort', 'reasoningEffort'],
  ['user', 'endUser'],
] as const satisfies readonly (readonly [string, SettingOf<string>])[];

export const booleanSettings = [
  ['parallel_tool_calls', 'parallelToolCalls'],
] as const satisfies readonly (readonly [string, SettingOf<boolean>])[];

/**
 * The two fields for the output limit. OpenAI's newer models accept only `max_completion_tokens`. Most other
 * providers accept only `max_tokens`.
 */
export const maxTokensFields = ['max_completion_tokens', 'max_tokens'] as const;

/** Parses a response format. Returns undefined for a response format with an unknown shape. */
export function parseResponseFormat(raw: unknown): ResponseFormat | undefined {
  const format = asObject(raw);
  if (format === undefined) return undefined;
  if (format.type === 'text') return { type: 'text' };
  if (format.type === 'json_object') return { type: 'json' };
  const schema = asObject(format.json_schema);
  if (format.type !== 'json_schema' || schema?.schema === undefined) return undefined;
  return {
    type: 'json-schema',
    name: asText(schema.name),
    schema: schema.schema,
    ...optional('strict', typeof schema.strict === 'boolean' ? schema.strict : undefined),
    ...optional('description', asText(schema.description)),
  };
}

export function renderResponseFormat(format: ResponseFormat): JsonObject {
  switch (format.type) {
    case 'text':
      return { type: 'text' };
    case 'json':
      return { type: 'json_object' };
    case 'json-schema': {
      const { name, schema, strict, description } = format;
      const described = { ...optional('strict', strict), ...optional('description', description) };
      // The chat completions format requires a schema name, which other formats do not have.
      return { type: 'json_schema', json_schema: { name: name ?? 'answer', schema, ...described } };
    }
  }
}

/** Whether the interchange can represent the setting completely. */
export function isCarriedWhole(raw: unknown): boolean {
  const format = parseResponseFormat(raw);
  return format !== undefined && isDeepStrictEqual(renderResponseFormat(format), raw);
}
