import type { ChatSettings, JsonObject } from '@gateway/interchange';
import {
  asList,
  asNumber,
  asObject,
  asText,
  isObject,
  optional,
  otherMembers,
} from '../../json/read-members.ts';
import { parseOutputFormat, renderOutputFormat, parseThinking, renderThinking } from '../shared/settings.ts';
import { isDeepStrictEqual } from 'node:util';

export interface ReadSettings {
  readonly settings: ChatSettings;
  /** The request fields from which the settings were parsed. */
  readonly read: readonly string[];
  /** The parts of the parsed fields that the settings do not cover. */
  readonly rest: JsonObject;
}

/** A field with an unexpected type is kept unchanged, so that the provider can validate it. */
export function parseSettings(body: JsonObject): ReadSettings {
  const parts = [
    readNumbers(body),
    readStopSequences(body),
    readMetadata(body),
    readOutput(body),
    readThinking(body),
    readParallel(body),
  ];
  return {
    settings: Object.assign({}, ...parts.map((part) => part.settings)) as ChatSettings,
    read: parts.flatMap((part) => part.read),
    rest: Object.assign({}, ...parts.map((part) => part.rest)) as JsonObject,
  };
}

const nothing: ReadSettings = { settings: {}, read: [], rest: {} };

/** Request fields, each with the corresponding interchange setting. */
export const numberSettings = [
  ['max_tokens', 'maxOutputTokens'],
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
] as const;

function readNumbers(body: JsonObject): ReadSettings {
  const found = numberSettings.flatMap(([member, name]) => {
    const value = asNumber(body[member]);
    return value === undefined ? [] : [{ member, name, value }];
  });
  return {
    settings: Object.fromEntries(found.map(({ name, value }) => [name, value])),
    read: found.map(({ member }) => member),
    rest: {},
  };
}

function readStopSequences({ stop_sequences: raw }: JsonObject): ReadSettings {
  const texts = asList(raw).filter((text) => typeof text === 'string');
  if (!Array.isArray(raw) || texts.length < raw.length) return nothing;
  return { settings: { stopSequences: texts }, read: ['stop_sequences'], rest: {} };
}

function readMetadata({ metadata }: JsonObject): ReadSettings {
  const endUser = asText(asObject(metadata)?.user_id);
  if (!isObject(metadata) || endUser === undefined) return nothing;
  return {
    settings: { endUser },
    read: ['metadata'],
    rest: optional('metadata', otherMembers(metadata, ['user_id'])),
  };
}

/**
 * Reads `output_config` and the older `output_format`. The field `output_format` stays unchanged, because it
 * requires a beta header.
 */
function readOutput({ output_config: config, output_format: older }: JsonObject): ReadSettings {
  const { effort, format } = asObject(config) ?? {};
  const responseFormat = parseOutputFormat(format);
  const isComplete =
    responseFormat !== undefined && isDeepStrictEqual(renderOutputFormat(responseFormat), format);
  const read = [typeof effort === 'string' ? 'effort' : '', isComplete ? 'format' : ''];
  return {
    settings: {
      ...optional('reasoningEffort', asText(effort)),
      ...optional('responseFormat', responseFormat ?? parseOutputFormat(older)),
    },
    read: isObject(config) ? ['output_config'] : [],
    rest: isObject(config) ? optional('output_config', otherMembers(config, read)) : {},
  };
}

function readThinking({ thinking: raw }: JsonObject): ReadSettings {
  const thinking = parseThinking(raw);
  if (thinking === undefined) return nothing;
  const isComplete = isDeepStrictEqual(renderThinking(thinking), raw);
  // If the setting does not cover the whole field, the extensions also keep the field.
  return { settings: { thinking }, read: isComplete ? ['thinking'] : [], rest: {} };
}

/**
 * Reads the setting for parallel tool calls, which is needed only to render other formats. `parseRequest`
 * parses the tool choice.
 */
function readParallel({ tool_choice: choice }: JsonObject): ReadSettings {
  const disables = asObject(choice)?.disable_parallel_tool_use;
  return typeof disables === 'boolean' ? { ...nothing, settings: { parallelToolCalls: !disables } } : nothing;
}
