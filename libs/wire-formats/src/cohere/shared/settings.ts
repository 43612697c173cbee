import type { ChatSettings, JsonObject, ResponseFormat } from '@gateway/interchange';
import { isDeepStrictEqual } from 'node:util';
import { asObject } from '../../json/read-members.ts';

/** Numeric request fields, each with the name of the interchange setting. */
export const numberSettings = [
  ['max_tokens', 'maxOutputTokens'],
  ['temperature', 'temperature'],
  ['p', 'topP'],
  ['k', 'topK'],
  ['seed', 'seed'],
  ['frequency_penalty', 'frequencyPenalty'],
  ['presence_penalty', 'presencePenalty'],
] as const satisfies readonly (readonly [string, keyof ChatSettings])[];

/**
 * Parses a response format. Returns undefined for an unknown shape, or for a value that the interchange
 * cannot express completely.
 */
export function parseResponseFormat(raw: unknown): ResponseFormat | undefined {
  const format = asObject(raw);
  const parsed = format === undefined ? undefined : parseShape(format);
  return parsed !== undefined && isDeepStrictEqual(renderResponseFormat(parsed), format) ? parsed : undefined;
}

function parseShape(format: JsonObject): ResponseFormat | undefined {
  if (format.type === 'text') return { type: 'text' };
  if (format.type !== 'json_object') return undefined;
  const schema = format.json_schema;
  return schema === undefined ? { type: 'json' } : { type: 'json-schema', name: undefined, schema };
}

export function renderResponseFormat(format: ResponseFormat): JsonObject {
  switch (format.type) {
    case 'text':
      return { type: 'text' };
    case 'json':
      return { type: 'json_object' };
    case 'json-schema':
      return { type: 'json_object', json_schema: format.schema };
  }
}
