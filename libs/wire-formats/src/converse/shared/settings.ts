import type { ChatSettings, JsonObject, Loss, ResponseFormat } from '@gateway/interchange';
import { isDeepStrictEqual } from 'node:util';
import {
  asList,
  asNumber,
  asObject,
  asText,
  isEmpty,
  optional,
  otherMembers,
} from '../../json/read-members.ts';
import type { ReadFields } from './additional-fields.ts';
import { parseAdditionalFields, renderAdditionalFields } from './additional-fields.ts';
import { parseExactJson } from '../../json/parse-json.ts';

/** Numeric fields in `inferenceConfig`, each with the name of the interchange setting. */
const numbers = [
  ['maxTokens', 'maxOutputTokens'],
  ['temperature', 'temperature'],
  ['topP', 'topP'],
] as const;

/**
 * Settings that the Converse API does not support, each with the field name in the Chat Completions format.
 */
const unsupported = [
  ['seed', 'seed'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['presencePenalty', 'presence_penalty'],
  ['endUser', 'user'],
] as const;

const membersOfSettings = ['inferenceConfig', 'additionalModelRequestFields', 'outputConfig'] as const;

interface ReadSettings {
  readonly settings: ChatSettings;
  /**
   * The parts of the parsed fields that have no equivalent setting. The parts without an equivalent setting
   * are sent only to providers that use the Converse format.
   */
  readonly own: JsonObject;
  /** The names of the request fields that were parsed. */
  readonly read: readonly string[];
}

export function parseSettings(body: JsonObject): ReadSettings {
  const config = asObject(body.inferenceConfig) ?? {};
  const additional = parseAdditionalFields(asObject(body.additionalModelRequestFields) ?? {});
  const output = parseOutputConfig(asObject(body.outputConfig) ?? {});
  const stops = parseStops(config.stopSequences);
  const found = numbers.flatMap(([member, name]) => {
    const value = asNumber(config[member]);
    return value === undefined ? [] : [{ member, name, value }];
  });
  const rest = otherMembers(config, [
    ...found.map(({ member }) => member),
    stops === undefined ? '' : 'stopSequences',
  ]);
  return {
    settings: {
      ...Object.fromEntries(found.map(({ name, value }) => [name, value])),
      ...optional('stopSequences', stops),
      ...additional.settings,
      ...output.settings,
    },
    own: {
      ...optional('inferenceConfig', rest),
      ...optional('additionalModelRequestFields', additional.rest),
      ...optional('outputConfig', output.rest),
      ...optional('spelling', additional.spelling),
    },
    read: membersOfSettings,
  };
}

function parseStops(raw: unknown): readonly string[] | undefined {
  const texts = asList(raw).filter((text) => typeof text === 'string');
  return Array.isArray(raw) && texts.length === raw.length ? texts : undefined;
}

/**
 * Renders numeric settings. The temperature ranges from 0 to 1 (Amazon Bedrock API reference,
 * `InferenceConfiguration`).
 */
function renderNumbers(settings: ChatSettings, losses: Loss[]): JsonObject {
  const numeric = Object.fromEntries(
    numbers.flatMap(([member, name]) => (settings[name] === undefined ? [] : [[member, settings[name]]])),
  );
  if (settings.temperature === undefined || settings.temperature <= 1) return numeric;
  losses.push({ field: 'temperature', reason: 'the maximum temperature of the format is 1' });
  return { ...numeric, temperature: 1 };
}

/** Renders settings as request fields. `kept` is the object `own` that `parseSettings` returned. */
export function renderSettings(
  settings: ChatSettings,
  kept: JsonObject,
  model: string,
  losses: Loss[],
): JsonObject {
  const config = {
    ...renderNumbers(settings, losses),
    ...optional('stopSequences', settings.stopSequences),
    ...asObject(kept.inferenceConfig),
  };
  for (const [name, field] of unsupported) {
    if (settings[name] !== undefined)
      losses.push({ field, reason: 'the format does not support this setting' });
  }
  if ((settings.answers ?? 1) > 1) losses.push({ field: 'n', reason: 'the format returns only one choice' });
  if (settings.parallelToolCalls === false) {
    losses.push({ field: 'parallel_tool_calls', reason: 'the format does not support this setting' });
  }
  const read: Pick<ReadFields, 'rest' | 'spelling'> = {
    rest: asObject(kept.additionalModelRequestFields) ?? {},
    spelling: asObject(kept.spelling) ?? {},
  };
  return {
    ...(isEmpty(config) ? {} : { inferenceConfig: config }),
    ...renderAdditionalFields(settings, read, model, losses),
    ...renderOutputConfig(settings, asObject(kept.outputConfig) ?? {}, losses),
  };
}

/** The settings parsed from `outputConfig`, and the fields of `outputConfig` that have no setting. */
interface ReadOutput {
  readonly settings: Pick<ChatSettings, 'reasoningEffort' | 'responseFormat'>;
  readonly rest: JsonObject;
}

function parseOutputConfig(config: JsonObject): ReadOutput {
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

/**
 * Parses a response format. In the Converse format, the schema is a JSON string. Returns undefined for a
 * shape that the interchange cannot express completely.
 */
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

function renderOutputConfig(settings: ChatSettings, rest: JsonObject, losses: Loss[]): JsonObject {
  const { reasoningEffort, responseFormat } = settings;
  if (responseFormat?.type === 'json') {
    losses.push({ field: 'response_format', reason: 'the format supports JSON output only with a schema' });
  }
  const config = {
    ...(responseFormat?.type === 'json-schema' ? { textFormat: renderTextFormat(responseFormat) } : {}),
    ...optional('effort', reasoningEffort),
    ...rest,
  };
  return isEmpty(config) ? {} : { outputConfig: config };
}
