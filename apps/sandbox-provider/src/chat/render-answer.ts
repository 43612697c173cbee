import { createHash } from 'node:crypto';
import type { ChatRequest } from './chat-request.ts';
import type { Answer } from './choose-answer.ts';

/**
 * Creates the ids of the response and its tool call. These ids depend only on the messages and the response.
 */
function completionIds(request: ChatRequest, answer: Answer): { completion: string; toolCall: string } {
  const digest = createHash('sha256')
    .update(JSON.stringify([request.messages, answer]))
    .digest('hex');
  return { completion: `chatcmpl-${digest.slice(0, 24)}`, toolCall: `call_${digest.slice(24, 48)}` };
}

function finishReasonOf(answer: Answer): 'stop' | 'length' | 'tool_calls' {
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
 * Estimates token usage as one token per four bytes of UTF-8, rounded up. The prompt tokens are estimated from
 * the messages and tools as compact JSON. The completion tokens are estimated from the response text, or from
 * the tool call's name and arguments.
 */
function estimateUsage(request: ChatRequest, answer: Answer): Usage {
  const said = answer.kind === 'text' ? answer.text : answer.name + answer.input;
  const promptTokens = Math.ceil(request.promptBytes / bytesPerToken);
  const completionTokens = Math.ceil(Buffer.byteLength(said) / bytesPerToken);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

function renderCall(call: Extract<Answer, { kind: 'tool-call' }>, input: string): object {
  return { name: call.name, [inputMembers[call.tool]]: input };
}

/** For each kind of tool, the name of the field that contains the input of a call. */
const inputMembers = { function: 'arguments', custom: 'input' } as const;

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
            { id: ids.toolCall, type: answer.tool, [answer.tool]: renderCall(answer, answer.input) },
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

const pieceCharsMax = 16;

/**
 * Cuts text into pieces without splitting a character. A text with at least two characters gives at least two
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
  const { tool } = answer;
  yield { tool_calls: [{ index: 0, id: toolCallId, type: tool, [tool]: renderCall(answer, '') }] };
  for (const piece of cutPieces(answer.input)) {
    yield { tool_calls: [{ index: 0, [tool]: { [inputMembers[tool]]: piece } }] };
  }
}

/**
 * Renders the response as server-sent events that contain `chat.completion.chunk` objects. `createdAt` is
 * Unix time in seconds.
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
