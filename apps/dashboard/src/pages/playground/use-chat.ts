import { useCallback, useRef, useState } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import { parseApiError, toApiError } from '../../api/api-error.ts';
import type { PlaygroundColumn } from '../../api/playground.ts';
import { forgetPlaygroundKey, playgroundKey } from '../../api/playground.ts';
import type { ChatFormat, PlaygroundTool, Turn } from '../../chat/conversation.ts';
import { addInput, pendingCalls } from '../../chat/conversation.ts';
import type { Answer } from '../../chat/parse-response.ts';
import { addFrame, noAnswer, readPlainAnswer } from '../../chat/parse-response.ts';
import { readEventStream, readServerSentEvents } from '../../chat/read-stream.ts';
import type { ChatRequest } from '../../chat/render-request.ts';
import { renderRequest } from '../../chat/render-request.ts';

/** Facts about the plan, from the response headers. */
export interface AnswerHeaders {
  readonly requestId: string | null;
  readonly model: string | null;
  readonly pruneRatio: string | null;
  readonly overheadMs: string | null;
}

/** The part of a reply that has already arrived. */
export interface Reply {
  readonly answer: Answer;
  readonly headers: AnswerHeaders | null;
  readonly error: ApiError | null;
  /** Milliseconds from the request to the latest received chunk. */
  readonly tookMs: number;
}

interface Chat extends ChatRequest {
  readonly format: ChatFormat;
  readonly column: PlaygroundColumn;
  /** The session id that groups the requests of the conversation. */
  readonly sessionId: string;
}

/**
 * Sends a conversation and reports the reply while it arrives. Never throws. An aborted request is not an
 * error.
 */
async function sendChat(
  chat: Chat,
  { onProgress, signal }: { readonly onProgress: (reply: Reply) => void; readonly signal: AbortSignal },
): Promise<Reply> {
  const startedAt = performance.now();
  let reply: Reply = { answer: noAnswer, headers: null, error: null, tookMs: 0 };
  const report = (change: Partial<Reply>): void => {
    reply = { ...reply, ...change, tookMs: performance.now() - startedAt };
    onProgress(reply);
  };
  try {
    const response = await post(chat, signal);
    report({ headers: readHeaders(response.headers) });
    if (response.ok) for await (const answer of readAnswers(response, chat)) report({ answer });
    else report({ error: await readError(response) });
  } catch (error) {
    if (!signal.aborted) report({ error: toApiError(error) });
  }
  return reply;
}

async function post(chat: Chat, signal: AbortSignal): Promise<Response> {
  const { path, body } = renderRequest(chat.format, chat);
  const send = async () =>
    fetch(path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await playgroundKey(chat.column)}`,
        'content-type': 'application/json',
        'x-svc-session-id': chat.sessionId,
      },
      body: JSON.stringify(body),
      signal,
    });
  const response = await send();
  if (response.status !== 401) return response;
  forgetPlaygroundKey(chat.column);
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

interface ChatSettings {
  readonly model: string;
  readonly format: ChatFormat;
  readonly tools: readonly PlaygroundTool[];
  readonly stream: boolean;
}

/** A conversation in one playground column, with its turns and the current or last reply. */
export interface ColumnChat {
  readonly sessionId: string;
  readonly turns: readonly Turn[];
  readonly reply: Reply | null;
  readonly isBusy: boolean;
  readonly send: (text: string, settings: ChatSettings) => Promise<void>;
  readonly stop: () => void;
  readonly reset: () => void;
}

const newSessionId = () => `playground-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;

function useChat(column: PlaygroundColumn): ColumnChat {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [reply, setReply] = useState<Reply | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [sessionId, setSessionId] = useState(newSessionId);
  const abort = useRef<AbortController>(undefined);

  const send = useCallback(
    async (text: string, settings: ChatSettings) => {
      const controller = new AbortController();
      abort.current = controller;
      const next = addInput(turns, text);
      setTurns(next);
      setReply(null);
      setBusy(true);
      const chat = { ...settings, column, turns: next, sessionId };
      const done = await sendChat(chat, { onProgress: setReply, signal: controller.signal });
      if (abort.current !== controller) return;
      setBusy(false);
      // The code removes the unanswered question, because a provider would reject a conversation that contains it.
      const { text: answered, calls } = done.answer;
      const isAnswered = answered !== '' || calls.length > 0;
      setTurns(isAnswered ? [...next, { role: 'assistant', text: answered, calls }] : turns);
    },
    [column, turns, sessionId],
  );
  const stop = useCallback(() => abort.current?.abort(), []);
  const reset = useCallback(() => {
    abort.current?.abort();
    abort.current = undefined;
    setSessionId(newSessionId());
    setTurns([]);
    setReply(null);
    setBusy(false);
  }, []);
  return { sessionId, turns, reply, isBusy, send, stop, reset };
}

/** The conversations of all playground columns. */
export interface ChatColumns {
  readonly columns: readonly [pruned: ColumnChat, full?: ColumnChat];
  readonly isBusy: boolean;
  /** Whether the model called tools, so that the user's next message is the result of the tool calls. */
  readonly waitsForResult: boolean;
  readonly stop: () => void;
  readonly reset: () => void;
}

export function useChatColumns(isCompared: boolean): ChatColumns {
  const [pruned, full] = [useChat('pruned'), useChat('full')];
  const columns: ChatColumns['columns'] = isCompared ? [pruned, full] : [pruned];
  const shown = columns.filter((column) => column !== undefined);
  return {
    columns,
    isBusy: shown.some((column) => column.isBusy),
    waitsForResult: shown.some(({ turns }) => pendingCalls(turns).length > 0),
    stop: () => shown.forEach((column) => column.stop()),
    reset: () => {
      pruned.reset();
      full.reset();
    },
  };
}
