import type { ChatRequest } from './chat-request.ts';
import type { Answer } from './choose-answer.ts';

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

const bytesPerToken = 4;

/**
 * An estimate: one token for every four bytes of UTF-8, rounded up. Of the prompt, messages and tools as compact JSON
 * count; of the answer, its text, or name and arguments of the call.
 */
export function estimateUsage(request: ChatRequest, answer: Answer): Usage {
  const said = answer.kind === 'text' ? answer.text : answer.name + answer.argumentsJson;
  const promptTokens = Math.ceil(request.promptBytes / bytesPerToken);
  const completionTokens = Math.ceil(Buffer.byteLength(said) / bytesPerToken);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
