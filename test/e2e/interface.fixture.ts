/** An account, a user and a provider for tests of the interface document, with helper functions. */
import {
  sharedStack,
  signUpPerson,
  type ReceivedRequest,
  type ReplayControls,
  type ReplayProvider,
  type TestPerson,
} from '@gateway/testing';
import {
  connectEachFormat,
  createTestAccount,
  createTestKey,
  requestIdOf,
  waitForRow,
  type CreatedKey,
  type TestAccount,
} from './account.fixture.ts';
import { plainMessages, thoughtful } from './anthropic.fixture.ts';
import { plainConverse, said } from './bedrock.fixture.ts';
import { postChat, send, type Answer, type Sent } from './http.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';

export const { baseUrl } = sharedStack();

/** A line of the interface document, and the request and assertion that test the line. */
export type Row = readonly [line: string, check: (world: InterfaceWorld) => Promise<unknown>];

export interface InterfaceWorld {
  readonly account: TestAccount;
  readonly key: string;
  readonly person: TestPerson;
  readonly provider: ReplayProvider;
  readonly createKey: (body?: object) => Promise<CreatedKey>;
  readonly close: () => Promise<void>;
}

export async function openWorld(): Promise<InterfaceWorld> {
  const provider = await startProvider();
  const account = await createTestAccount(sharedStack());
  const key = account.apiKey;
  await connectEachFormat(baseUrl, key, provider.url);
  return {
    ...{ account, key, provider },
    person: await signUpPerson(baseUrl),
    createKey: (body = {}) => createTestKey(baseUrl, key, { name: 'row', ...body }),
    close: () => provider.close(),
  };
}

export const say = (content: unknown) => [{ role: 'user', content }];
export const hello = { model: 'openai/gpt-4o', messages: say('Hello') };
export const sandboxHello = { model: 'sandbox/sandbox-1', messages: say('Hello') };
export const fn = (name: string, more: object = {}) => ({
  type: 'function',
  function: { name, description: `Calls ${name}`, parameters: { type: 'object' }, ...more },
});

/** The provider's response in each format, by the path of the upstream request. */
function answerFor({ url }: Pick<ReceivedRequest, 'url'>): ReplayControls {
  if (url.endsWith('/messages')) return plainMessages(JSON.parse(thoughtful));
  if (url.endsWith('/converse')) return plainConverse(said);
  return plainAnswer;
}

/** What the client and the provider received for one request. */
export interface Served {
  readonly answer: Answer;
  readonly headers: Answer['headers'];
  readonly json: Record<string, unknown>;
  /** The latest upstream request. */
  readonly upstream: ReceivedRequest;
  readonly sent: Record<string, unknown>;
}

/** Sends a request to which the replay provider responds. Expects status 200. */
export async function serve(
  { key, provider }: InterfaceWorld,
  sent: Sent,
  controls: ReplayControls | typeof answerFor = answerFor,
): Promise<Served> {
  provider.reset();
  provider.setControls(controls);
  const answer = await send(baseUrl, { key, ...sent });
  expect({ status: answer.status, text: answer.text.slice(0, 500) }).toMatchObject({ status: 200 });
  const upstream = provider.requests.at(-1)!;
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  const text = upstream.body.toString('utf8');
  return {
    answer,
    headers: answer.headers,
    json: isJson ? (answer.json() as Record<string, unknown>) : {},
    upstream,
    sent: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}

export const chat = (world: InterfaceWorld, changes: object = {}, headers = {}) =>
  serve(world, { path: '/v1/chat/completions', body: { ...hello, ...changes }, headers });

/** Calls an account route with the account's key, checks the response status, and returns the response body. */
export async function ask(
  { key }: Pick<InterfaceWorld, 'key'>,
  method: string,
  path: string,
  body?: object,
  status = 200,
): Promise<Record<string, unknown>> {
  const answer = await send(baseUrl, { method, path, key, ...(body === undefined ? {} : { body }) });
  expect({ path, status: answer.status, text: answer.text.slice(0, 500) }).toMatchObject({ path, status });
  return answer.json() as Record<string, unknown>;
}

/** Sends a chat request to the sandbox provider with a different API key. Returns the HTTP status. */
export const statusOf = async (key: string) => (await postChat(baseUrl, key, sandboxHello)).status;

/** Waits for a request's row in the request log. */
export const rowOf = (world: InterfaceWorld, answer: Answer) =>
  waitForRow(baseUrl, world.key, requestIdOf(answer));

/** Sends a request and expects the gateway to reject it with the given status. Returns the body. */
export async function refused(
  world: InterfaceWorld,
  path: string,
  body: object,
  status: number,
): Promise<string> {
  const answer = await send(baseUrl, { path, key: world.key, body });
  expect({ path, status: answer.status, text: answer.text }).toMatchObject({ path, status });
  return answer.text;
}
