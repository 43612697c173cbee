import type { ChatSettings } from '@gateway/interchange';

/** Members of `generationConfig` that are a number of the interchange's settings. */
export const numberSettings = [
  ['maxOutputTokens', 'maxOutputTokens'],
  ['temperature', 'temperature'],
  ['topP', 'topP'],
  ['topK', 'topK'],
  ['seed', 'seed'],
  ['frequencyPenalty', 'frequencyPenalty'],
  ['presencePenalty', 'presencePenalty'],
  ['candidateCount', 'answers'],
] as const satisfies readonly (readonly [string, keyof ChatSettings])[];

export const responseFormatMembers = [
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  '_responseJsonSchema',
] as const;
