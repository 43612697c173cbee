import { requestLogPage, type RequestLogEntry } from '@gateway/contracts';
import { githubTools } from '../e2e/github-tools.fixture.ts';
import { postChat, send } from '../e2e/http.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';

/** The outcome of one request for the client. */
export interface Outcome {
  /** The client's name for the request, in the form `<run>-<number>`. */
  readonly name: string;
  /** The HTTP status of the response, or 0 if the connection broke. */
  readonly status: number;
  readonly isWhole: boolean;
  readonly requestId: string | undefined;
}

export interface Run {
  readonly baseUrl: string;
  readonly key: string;
  readonly name: string;
  readonly model: string;
  /** Called as soon as a third of the requests have completed. */
  readonly disturb: () => Promise<void>;
}

const requestsInRun = 200;
const concurrency = 6;

/**
 * Sends 200 requests. Each request has 117 tools and a tool result, and every second request is a streaming
 * request. Calls `disturb` as soon as a third of the requests have completed.
 */
export async function runTraffic(run: Run): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let sent = 0;
  let disturbed: Promise<void> | undefined;
  const work = async (): Promise<void> => {
    while (sent < requestsInRun) {
      outcomes.push(await ask(run, sent++));
      if (outcomes.length >= requestsInRun / 3) disturbed ??= run.disturb();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  await disturbed;
  return outcomes;
}

async function ask({ baseUrl, key, name: run, model }: Run, number: number): Promise<Outcome> {
  const name = `${run}-${number}`;
  const stream = number % 2 === 0;
  const content = `Create an issue titled "Number ${number}" in octo/hello`;
  const messages = [{ role: 'user', content }, ...renderCall(name)];
  const body = { model, stream, user: name, messages, tools: githubTools };
  try {
    const answer = await postChat(baseUrl, key, body, { 'x-request-id': name });
    const isWhole = stream ? answer.text.endsWith('data: [DONE]\n\n') : answer.text.endsWith('}');
    const requestId = answer.headers['x-request-id'];
    return { name, status: answer.status, isWhole, requestId: requestId?.toString() };
  } catch {
    return { name, status: 0, isWhole: false, requestId: undefined };
  }
}

/** Returns a tool call and a tool result that the compressor can shorten. */
function renderCall(name: string) {
  const result = { name, items: [1, 2, 3].map((id) => ({ id, title: `item ${id} of ${name}` })) };
  const call = { name: githubTools[0]?.function.name, arguments: '{}' };
  return [
    { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: call }] },
    { role: 'tool', tool_call_id: 'call_1', content: JSON.stringify(result, null, 4) },
  ];
}

export function expectAllAnswered(outcomes: readonly Outcome[]): void {
  expect(outcomes).toHaveLength(requestsInRun);
  expect(outcomes.filter(({ status, isWhole }) => status !== 200 || !isWhole)).toEqual([]);
}

/** Returns a test run's request log rows as soon as `isComplete` returns true for them. */
export async function readRows(
  run: Pick<Run, 'baseUrl' | 'key' | 'name'>,
  isComplete: (rows: readonly RequestLogEntry[]) => boolean,
): Promise<RequestLogEntry[]> {
  let rows: RequestLogEntry[] = [];
  const read = async () => {
    const pages = [0, 500].map((offset) => readPage(run, offset));
    rows = (await Promise.all(pages))
      .flat()
      .filter((row) => row.client_request_id?.startsWith(`${run.name}-`) ?? false);
    return isComplete(rows) ? rows : undefined;
  };
  return eventually(read, 60_000).catch((error: unknown) => {
    throw new Error(`the log has ${rows.length} rows of ${run.name}`, { cause: error });
  });
}

async function readPage({ baseUrl, key }: Pick<Run, 'baseUrl' | 'key'>, offset: number) {
  const answer = await send(baseUrl, { path: `/v1/account/requests?limit=500&offset=${offset}`, key });
  return answer.status === 200 ? requestLogPage.parse(answer.json()).data : [];
}

/** Expects that the request log contains every request exactly once, with a successful status. */
export async function expectAllLogged(
  run: Pick<Run, 'baseUrl' | 'key' | 'name'>,
  outcomes: readonly Outcome[],
): Promise<RequestLogEntry[]> {
  const rows = await readRows(run, (each) => each.length >= outcomes.length);
  expect(rows.map(({ id }) => id).sort()).toEqual(outcomes.map(({ requestId }) => requestId).sort());
  expect(rows.filter(({ status }) => status !== 'ok')).toEqual([]);
  return rows;
}
