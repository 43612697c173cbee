import type { JsonObject, ToolChoice } from '@gateway/interchange';

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
