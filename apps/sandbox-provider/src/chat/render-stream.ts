import type { ChatRequest } from './chat-request.ts';
import type { Answer } from './choose-answer.ts';
import { completionIds, finishReasonOf, estimateUsage } from './render-completion.ts';

const pieceCharsMax = 16;

/**
 * Cuts text into pieces without splitting a character. A text with two or more characters gives at least two
 * pieces.
 */
function cutPieces(text: string): string[] {
  const characters = Array.from(text);
  const size = Math.min(pieceCharsMax, Math.max(1, Math.ceil(characters.length / 2)));
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(''));
  return pieces;
}

function* renderDeltas(answer: Answer, toolCallId: string): Generator<object> {
  if (answer.kind === 'text') {
    yield { role: 'assistant', content: '', refusal: null };
    for (const content of cutPieces(answer.text)) yield { content };
    return;
  }
  yield { role: 'assistant', content: null };
  yield {
    tool_calls: [
      { index: 0, id: toolCallId, type: 'function', function: { name: answer.name, arguments: '' } },
    ],
  };
  for (const piece of cutPieces(answer.argumentsJson)) {
    yield { tool_calls: [{ index: 0, function: { arguments: piece } }] };
  }
}

/**
 * Renders the response as server-sent events that contain `chat.completion.chunk` objects. The parameter
 * `createdAt` is Unix time in seconds.
 */
export function* renderStream(request: ChatRequest, answer: Answer, createdAt: number): Generator<string> {
  const ids = completionIds(request, answer);
  const common = {
    id: ids.completion,
    object: 'chat.completion.chunk',
    created: createdAt,
    model: request.model,
    system_fingerprint: 'sandbox',
  };
  const noUsage = request.includeUsage ? { usage: null } : {};
  const event = (fields: object): string => `data: ${JSON.stringify({ ...common, ...fields })}\n\n`;
  const choice = (delta: object, finishReason: string | null): string =>
    event({
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      ...noUsage,
    });
  for (const delta of renderDeltas(answer, ids.toolCall)) yield choice(delta, null);
  yield choice({}, finishReasonOf(answer));
  if (request.includeUsage) yield event({ choices: [], usage: estimateUsage(request, answer) });
  yield 'data: [DONE]\n\n';
}
