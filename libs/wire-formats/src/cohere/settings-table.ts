import type { ChatSettings } from '@gateway/interchange';

/** Members of a request that are a number of the interchange's settings. */
export const numberSettings = [
  ['max_tokens', 'maxOutputTokens'],
  ['temperature', 'temperature'],
  ['p', 'topP'],
  ['k', 'topK'],
  ['seed', 'seed'],
  ['frequency_penalty', 'frequencyPenalty'],
  ['presence_penalty', 'presencePenalty'],
] as const satisfies readonly (readonly [string, keyof ChatSettings])[];
