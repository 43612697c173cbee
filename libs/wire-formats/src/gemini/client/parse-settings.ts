import type { ChatSettings, JsonObject, ResponseFormat, ThinkingSetting } from '@gateway/interchange';
import {
  asList,
  asNumber,
  asObject,
  asText,
  isEmpty,
  optional,
  otherMembers,
} from '../../json/read-members.ts';
import { camelMembers } from '../shared/own-members.ts';
import { numberSettings, responseFormatMembers } from '../shared/settings.ts';
import { toJsonSchema } from '../shared/schema.ts';

export interface ReadSettings {
  readonly settings: ChatSettings;
  /** `generationConfig` fields that have no equivalent setting. */
  readonly rest: JsonObject;
  /** The client's spelling of each setting that has several spellings. */
  readonly spelling: JsonObject;
}

/**
 * Parses `generationConfig`. A field with an unexpected type is kept unchanged, so that the provider can
 * validate it.
 */
export function parseSettings(raw: unknown): ReadSettings {
  const config = camelMembers(asObject(raw) ?? {});
  const settings: Record<string, unknown> = {};
  const read: string[] = [];
  for (const [member, name] of numberSettings) {
    const value = asNumber(config[member]);
    if (value === undefined) continue;
    settings[name] = value;
    read.push(member);
  }
  const stops = asList(config.stopSequences).filter((text) => typeof text === 'string');
  if (Array.isArray(config.stopSequences) && stops.length === config.stopSequences.length) {
    settings.stopSequences = stops;
    read.push('stopSequences');
  }
  const thinking = asObject(config.thinkingConfig);
  const format = pick(config, responseFormatMembers);
  return {
    settings: {
      ...settings,
      ...(thinking === undefined ? {} : parseThinking(camelMembers(thinking))),
      ...optional('responseFormat', parseResponseFormat(format)),
    },
    rest: otherMembers(config, [...read, 'thinkingConfig', ...responseFormatMembers]),
    spelling: {
      ...(thinking === undefined ? {} : { thinkingConfig: camelMembers(thinking) }),
      ...(isEmpty(format) ? {} : { responseFormat: format }),
    },
  };
}

function parseThinking(config: JsonObject): Pick<ChatSettings, 'reasoningEffort' | 'thinking'> {
  const budgetTokens = asNumber(config.thinkingBudget);
  // If the reasoning budget is -1, the model chooses the budget.
  const budget = budgetTokens === -1 ? undefined : budgetTokens;
  const thinking: ThinkingSetting = {
    enabled: budget !== 0,
    ...optional('budgetTokens', budget === 0 ? undefined : budget),
    ...optional('shown', typeof config.includeThoughts === 'boolean' ? config.includeThoughts : undefined),
  };
  return { thinking, ...optional('reasoningEffort', asText(config.thinkingLevel)?.toLowerCase()) };
}

function parseResponseFormat(members: JsonObject): ResponseFormat | undefined {
  const jsonSchema = members.responseJsonSchema ?? members._responseJsonSchema;
  const schema = jsonSchema ?? toJsonSchema(members.responseSchema);
  if (schema !== undefined) return { type: 'json-schema', name: undefined, schema };
  return members.responseMimeType === 'application/json' ? { type: 'json' } : undefined;
}

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.filter((name) => object[name] !== undefined).map((name) => [name, object[name]]),
  );
}
