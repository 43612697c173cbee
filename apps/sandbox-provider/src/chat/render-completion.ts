import { createHash } from 'node:crypto';
import type { ChatRequest } from './chat-request.ts';
import type { Answer } from './choose-answer.ts';

/**
 * Creates the ids of the response and its tool call. The ids of the response and its tool call depend only on
 * the messages and the response.
 */
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
 * Estimates token usage: one token per four bytes of UTF-8, rounded up. The prompt tokens count messages and
 * tools as compact JSON. The completion tokens count the response text, or the name and arguments of the tool
 * call.
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

/** Renders the response as a `chat.completion`. The parameter `createdAt` is Unix time in seconds. */
export function renderCompletion(request: ChatRequest, answer: Answer, createdAt: number): object {
  const ids = completionIds(request, answer);
  const message =
    answer.kind === 'text'
      ? { role: 'assistant', content: answer.text, refusal: null }
      : {
          role: 'assistant',
          content: null,
          refusal: null,
          tool_calls: [
            {
              id: ids.toolCall,
              type: 'function',
              function: { name: answer.name, arguments: answer.argumentsJson },
            },
          ],
        };
  return {
    id: ids.completion,
    object: 'chat.completion',
    created: createdAt,
    model: request.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(answer) }],
    usage: estimateUsage(request, answer),
    system_fingerprint: 'sandbox',
  };
}
