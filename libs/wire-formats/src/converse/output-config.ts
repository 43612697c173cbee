import { isDeepStrictEqual } from 'node:util';
import type { ChatSettings, JsonObject, Loss, ResponseFormat } from '@gateway/interchange';
import { parseExactJson } from '../json/parse-json.ts';
import { asObject, asText, isEmpty, optional, otherMembers } from '../json/read-members.ts';

/** The settings that `outputConfig` holds, and the members of it that they do not say. */
export interface ReadOutput {
  readonly settings: Pick<ChatSettings, 'reasoningEffort' | 'responseFormat'>;
  readonly rest: JsonObject;
}

export function parseOutputConfig(config: JsonObject): ReadOutput {
  const effort = asText(config.effort);
  const responseFormat = parseTextFormat(config.textFormat);
  const read = [
    ...(effort === undefined ? [] : ['effort']),
    ...(responseFormat === undefined ? [] : ['textFormat']),
  ];
  return {
    settings: { ...optional('reasoningEffort', effort), ...optional('responseFormat', responseFormat) },
    rest: otherMembers(config, read),
  };
}

/** The schema is the text of a JSON document here. Undefined for a shape that the interchange cannot carry whole. */
function parseTextFormat(raw: unknown): ResponseFormat | undefined {
  const body = asObject(asObject(asObject(raw)?.structure)?.jsonSchema);
  const text = asText(body?.schema);
  if (body === undefined || text === undefined) return undefined;
  const schema = parseSchema(text);
  if (schema === undefined) return undefined;
  const description = asText(body.description);
  const format = {
    type: 'json-schema',
    name: asText(body.name),
    schema,
    ...optional('description', description),
  } as const;
  const again = asObject(asObject(renderTextFormat(format).structure)?.jsonSchema);
  const isWhole = isDeepStrictEqual({ ...again, schema: '' }, { ...body, schema: '' });
  return isWhole ? format : undefined;
}

function parseSchema(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

function renderTextFormat(format: Extract<ResponseFormat, { type: 'json-schema' }>): JsonObject {
  const { name, schema, description } = format;
  const jsonSchema = {
    schema: JSON.stringify(schema),
    ...optional('name', name),
    ...optional('description', description),
  };
  return { type: 'json_schema', structure: { jsonSchema } };
}

export function renderOutputConfig(settings: ChatSettings, rest: JsonObject, losses: Loss[]): JsonObject {
  const { reasoningEffort, responseFormat } = settings;
  if (responseFormat?.type === 'json') {
    losses.push({ field: 'response_format', reason: 'the format knows JSON by a schema alone' });
  }
  const config = {
    ...(responseFormat?.type === 'json-schema' ? { textFormat: renderTextFormat(responseFormat) } : {}),
    ...optional('effort', reasoningEffort),
    ...rest,
  };
  return isEmpty(config) ? {} : { outputConfig: config };
}
