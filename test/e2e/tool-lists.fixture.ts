import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { connectEachFormat, createTestAccount, createTestKey } from './account.fixture.ts';
import { untilEffective } from './governance.fixture.ts';
import { send, type Answer } from './http.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';

const { baseUrl } = sharedStack();

/** One provider per client format, with API keys that have allowed or denied tools. */
export interface ListedKeys {
  readonly provider: ReplayProvider;
  /** An API key without allowed or denied tools. */
  readonly free: string;
  /** An API key that may not use `erase` and some built-in tools. */
  readonly denying: string;
  /** An API key that may use only `read` and `web_search`. */
  readonly allowing: string;
  readonly createLimited: (lists: object) => Promise<string>;
}

export async function openListedKeys(): Promise<ListedKeys> {
  const provider = await startProvider();
  const account = await createTestAccount(sharedStack());
  await connectEachFormat(baseUrl, account.apiKey, provider.url);
  const createLimited = async (lists: object): Promise<string> => {
    const created = await createTestKey(baseUrl, account.apiKey, { name: 'limited', rate_limit_rpm: 10_000 });
    const path = `/v1/account/keys/${created.id}/toollist`;
    const answer = await send(baseUrl, { method: 'PUT', path, key: account.apiKey, body: lists });
    expect(answer.status).toBe(200);
    return created.key;
  };
  const denied_tools = ['erase', 'web_search', 'code_interpreter', 'mcp'];
  const [denying, allowing] = await Promise.all([
    createLimited({ denied_tools }),
    createLimited({ allowed_tools: ['read', 'web_search'] }),
  ]);
  await untilEffective();
  return { provider, free: account.apiKey, denying, allowing, createLimited };
}

/** Switches planning on or off for requests to the Responses API. */
export async function planResponses({ free }: Pick<ListedKeys, 'free'>, plan: boolean): Promise<void> {
  const path = '/v1/account/routing/preferences';
  const answer = await send(baseUrl, { method: 'PUT', path, key: free, body: { responses: { plan } } });
  expect(answer.status).toBe(200);
  await untilEffective();
}

export function answerPlainly({ provider }: Pick<ListedKeys, 'provider'>): void {
  provider.reset();
  provider.setControls(plainAnswer);
}

export const chat = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'hello' }] };
export const talk = { messages: [{ role: 'user', content: [{ text: 'hello' }] }] };
export const conversePath = '/model/hosted%2Famazon.nova-lite-v1%3A0/converse';

export const functionTool = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
});

export const post = (path: string, key: string, body: unknown): Promise<Answer> =>
  send(baseUrl, { path, key, body });
export const postChat = (key: string, body: unknown): Promise<Answer> =>
  post('/v1/chat/completions', key, body);
