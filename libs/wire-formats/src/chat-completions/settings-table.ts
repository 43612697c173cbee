import type { ChatSettings } from '@gateway/interchange';

type SettingOf<Value> = {
  [Name in keyof ChatSettings]-?: NonNullable<ChatSettings[Name]> extends Value ? Name : never;
}[keyof ChatSettings];

/** Members of a request that are a setting of the interchange under another name. */
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

/** The two members for the output limit. OpenAI's newer models take the first alone; most of its followers the second. */
export const maxTokensFields = ['max_completion_tokens', 'max_tokens'] as const;
