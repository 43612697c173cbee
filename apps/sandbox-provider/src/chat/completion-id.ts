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
