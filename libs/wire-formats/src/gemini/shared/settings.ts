import type { ChatSettings, JsonObject, ToolChoice } from '@gateway/interchange';

/** Numeric fields of `generationConfig`, each with its name in the interchange. */
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

/** Renders the tool choice as fields of `functionCallingConfig`. Empty when the client sent no choice. */
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
    // AUTO accepts no names. In the mode VALIDATED, the model can also answer with text.
    case 'allowed':
      return { mode: choice.required === true ? 'ANY' : 'VALIDATED', allowedFunctionNames: choice.names };
  }
}
