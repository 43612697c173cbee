import type { JsonObject, ResponseFormat } from '@gateway/interchange';
import { asObject } from '../json/read-members.ts';

/** Undefined for a shape that we do not know. */
export function parseOutputFormat(raw: unknown): ResponseFormat | undefined {
  const format = asObject(raw);
  if (format?.type !== 'json_schema' || format.schema === undefined) return undefined;
  return { type: 'json-schema', name: undefined, schema: format.schema };
}

/** Undefined for what the format has no word for: JSON of any shape. Text is what it gives anyway. */
export function renderOutputFormat(format: ResponseFormat): JsonObject | undefined {
  return format.type === 'json-schema' ? { type: 'json_schema', schema: format.schema } : undefined;
}
