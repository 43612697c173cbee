import type { ChatSettings, JsonObject, ToolChoice } from '@gateway/interchange';

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

/** The members of `functionCallingConfig` that say a choice; none where the client left it out. */
export function renderFunctionCalling(choice: ToolChoice): JsonObject {
  switch (choice.mode) {
    case 'unset':
      return {};
    case 'auto':
      return { mode: 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
    // AUTO takes no names; VALIDATED is the mode in which the model may also answer in words.
    case 'allowed':
      return { mode: choice.required === true ? 'ANY' : 'VALIDATED', allowedFunctionNames: choice.names };
  }
}
