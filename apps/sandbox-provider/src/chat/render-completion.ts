import type { ChatRequest } from './chat-request.ts';
import type { Answer } from './choose-answer.ts';
import { completionIds, finishReasonOf, estimateUsage } from './completion-fields.ts';

/** Renders the response as a `chat.completion`. `createdAt` is Unix time in seconds. */
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
