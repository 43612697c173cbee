import { createHash } from 'node:crypto';
import type { ChatRequest } from './chat-request.ts';
import type { Answer } from './choose-answer.ts';

/** Ids of an answer and of the call in it: the same for the same conversation and answer. */
export function completionIds(
  request: ChatRequest,
  answer: Answer,
): { completion: string; toolCall: string } {
  const digest = createHash('sha256')
    .update(JSON.stringify([request.messages, answer]))
    .digest('hex');
  return { completion: `chatcmpl-${digest.slice(0, 24)}`, toolCall: `call_${digest.slice(24, 48)}` };
}

export function finishReasonOf(answer: Answer): 'stop' | 'length' | 'tool_calls' {
  if (answer.kind === 'tool-call') return 'tool_calls';
  return answer.isCut ? 'length' : 'stop';
}

interface Usage {
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
