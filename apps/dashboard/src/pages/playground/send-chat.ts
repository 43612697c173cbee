import { parseApiError, toApiError, type ApiError } from '../../api/api-error.ts';
import { forgetPlaygroundKey, playgroundKey, type Lane } from '../../api/playground.ts';
import type { ChatFormat } from './conversation.ts';
import { addFrame, noAnswer, readPlainAnswer, type Answer } from './read-answer.ts';
import { readEventStream, readServerSentEvents } from './read-frames.ts';
import { renderRequest, type ChatRequest } from './render-request.ts';

/** What the answer's headers say of the plan. */
export interface AnswerHeaders {
  readonly requestId: string | null;
  readonly model: string | null;
  readonly pruneRatio: string | null;
  readonly overheadMs: string | null;
}

/** A reply as far as it has come. */
export interface Reply {
  readonly answer: Answer;
  readonly headers: AnswerHeaders | null;
  readonly error: ApiError | null;
  /** Milliseconds from sending to the last that came. */
  readonly tookMs: number;
}

export interface Chat extends ChatRequest {
  readonly format: ChatFormat;
  readonly lane: Lane;
  /** Keeps a conversation's tools together. */
  readonly sessionId: string;
}

/** Sends a conversation and tells of the answer whenever more of it is there. Never throws; an abort is no error. */
export async function sendChat(
  chat: Chat,
  { onProgress, signal }: { readonly onProgress: (reply: Reply) => void; readonly signal: AbortSignal },
): Promise<Reply> {
  const startedAt = performance.now();
  let reply: Reply = { answer: noAnswer, headers: null, error: null, tookMs: 0 };
  const tell = (change: Partial<Reply>): void => {
    reply = { ...reply, ...change, tookMs: performance.now() - startedAt };
    onProgress(reply);
  };
  try {
    const response = await post(chat, signal);
    tell({ headers: readHeaders(response.headers) });
    if (response.ok) for await (const answer of readAnswers(response, chat)) tell({ answer });
    else tell({ error: await readError(response) });
  } catch (error) {
    if (!signal.aborted) tell({ error: toApiError(error) });
  }
  return reply;
}

async function post(chat: Chat, signal: AbortSignal): Promise<Response> {
  const { path, body } = renderRequest(chat.format, chat);
  const send = async () =>
    fetch(path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await playgroundKey(chat.lane)}`,
        'content-type': 'application/json',
        'x-svc-session-id': chat.sessionId,
      },
      body: JSON.stringify(body),
      signal,
    });
  const response = await send();
  if (response.status !== 401) return response;
  forgetPlaygroundKey(chat.lane);
  return send();
}

async function* readAnswers(response: Response, { format, stream }: Chat): AsyncGenerator<Answer> {
  if (!stream || response.body === null) {
    yield readPlainAnswer(format, (await response.json()) as unknown);
    return;
  }
  const frames = format === 'converse' ? readEventStream(response.body) : readServerSentEvents(response.body);
  let answer = noAnswer;
  for await (const frame of frames) {
    answer = addFrame(format, answer, frame);
    yield answer;
  }
}

async function readError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  return parseApiError(response.status, body, response.headers.get('x-request-id'));
}

function readHeaders(headers: Headers): AnswerHeaders {
  const [provider, model] = [headers.get('x-svc-provider'), headers.get('x-svc-model')];
  return {
    requestId: headers.get('x-request-id'),
    model: provider === null || model === null ? model : `${provider}/${model}`,
    pruneRatio: headers.get('x-svc-prune-ratio'),
    overheadMs: headers.get('x-svc-overhead-ms'),
  };
}
