import { ApiError, parseApiError } from '../../api/api-error.ts';
import { api, unwrap } from '../../api/client.ts';
import { addFrame, noAnswer, type Answer } from '../../chat/parse-response.ts';
import { readServerSentEvents } from '../../chat/read-stream.ts';
import { renderRequest } from '../../chat/render-request.ts';
import { exampleTools } from '../../chat/example-tools.ts';

/** The progress of a test request. */
export interface TestResult {
  readonly answer: Answer;
  readonly requestId: string | null;
  readonly toolsIn: number;
  readonly toolsOut: number;
  /** The method by which the tools were ranked. Null if all tools were forwarded. */
  readonly routing: string | null;
  /**
   * The gateway's own processing time in milliseconds, without the provider's time. Null if the time is
   * unknown.
   */
  readonly overheadMs: number | null;
  readonly isDone: boolean;
}

interface TestRequest {
  readonly model: string;
  readonly question: string;
  /** The API key that the test request uses. If the API key is null, a short-lived API key is created. */
  readonly secret: string | null;
  readonly onProgress: (result: TestResult) => void;
}

/** Sends a question with the example tools and reports the response while it arrives. Throws an `ApiError`. */
export async function sendTestRequest({ model, question, secret, onProgress }: TestRequest): Promise<void> {
  const key = secret ?? (await unwrap(api.POST('/v1/account/playground-key', {}))).key;
  const { path, body } = renderRequest('chat-completions', {
    model,
    turns: [{ role: 'user', text: question }],
    tools: exampleTools,
    stream: true,
  });
  const response = await fetch(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const requestId = response.headers.get('x-request-id');
  if (!response.ok || response.body === null)
    throw parseApiError(response.status, await response.json().catch(() => null), requestId);
  let result = parseHeaders(response.headers);
  for await (const frame of readServerSentEvents(response.body)) {
    result = { ...result, answer: addFrame('chat-completions', result.answer, frame) };
    onProgress(result);
  }
  if (result.answer.error !== null)
    throw new ApiError({ status: 502, code: 'broken_off', message: result.answer.error, requestId });
  onProgress({ ...result, isDone: true });
}

function parseHeaders(headers: Headers): TestResult {
  const numberOf = (name: string) => Number(headers.get(name) ?? exampleTools.length);
  const overhead = headers.get('x-svc-overhead-ms');
  return {
    answer: noAnswer,
    requestId: headers.get('x-request-id'),
    toolsIn: numberOf('x-svc-tools-input'),
    toolsOut: numberOf('x-svc-tools-output'),
    routing: headers.get('x-svc-routing'),
    overheadMs: overhead === null ? null : Number(overhead),
    isDone: false,
  };
}
