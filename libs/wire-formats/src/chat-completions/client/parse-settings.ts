import type { ChatSettings, JsonObject } from '@gateway/interchange';
import { asList, asNumber, asText } from '../../json/read-members.ts';
import { isCarriedWhole, parseResponseFormat } from '../response-format.ts';
import { booleanSettings, maxTokensFields, numberSettings, textSettings } from '../settings-table.ts';

export interface ReadSettings {
  readonly settings: ChatSettings;
  /** The members that the settings say whole, so that nothing of them has to be kept apart. */
  readonly read: readonly string[];
}

/** A member of an unexpected type is not read: it is kept as it is, and the provider judges it. */
export function parseSettings(body: JsonObject): ReadSettings {
  const settings: Record<string, unknown> = {};
  const read: string[] = [];
  const readInto = (member: string, name: keyof ChatSettings, value: unknown): void => {
    if (value === undefined) return;
    settings[name] = value;
    read.push(member);
  };
  for (const [member, name] of numberSettings) readInto(member, name, asNumber(body[member]));
  for (const [member, name] of textSettings) readInto(member, name, asText(body[member]));
  for (const [member, name] of booleanSettings) readInto(member, name, asBoolean(body[member]));
  readInto('stop', 'stopSequences', parseStop(body.stop));
  // These stay in the extensions too: which of two members it was, or that this provider knows it at all.
  settings.maxOutputTokens = maxTokensFields
    .map((field) => asNumber(body[field]))
    .find((value) => value !== undefined);
  settings.topK = asNumber(body.top_k);
  // Mistral's word for it.
  settings.seed ??= asNumber(body.random_seed);
  settings.responseFormat = parseResponseFormat(body.response_format);
  if (isCarriedWhole(body.response_format)) read.push('response_format');
  const set: ChatSettings = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  );
  return { settings: set, read };
}

function parseStop(stop: unknown): readonly string[] | undefined {
  if (typeof stop === 'string') return [stop];
  const texts = asList(stop).filter((text) => typeof text === 'string');
  return Array.isArray(stop) && texts.length === stop.length ? texts : undefined;
}

function asBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}
