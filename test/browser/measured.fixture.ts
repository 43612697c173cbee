import Anthropic from '@anthropic-ai/sdk';
import { requestLogPage, type RequestLogEntry } from '@gateway/contracts';
import { sharedStack, signUpPerson, type ReplayProvider, type TestPerson } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import { connectProvider, createTestKey } from '../e2e/account.fixture.ts';
import { plainMessages, thoughtful } from '../e2e/anthropic.fixture.ts';
import { callFor } from '../e2e/governance.fixture.ts';
import { send } from '../e2e/http.fixture.ts';
import { plainAnswer, startProvider } from '../e2e/provider.fixture.ts';
import { askWithTools, connectOpenAi, enqueueCall } from '../e2e/telemetry.fixture.ts';

export interface MeasuredAccount {
  readonly person: TestPerson;
  readonly key: string;
  readonly keyId: string;
  readonly provider: ReplayProvider;
  /** The request log rows, newest first. */
  readonly rows: readonly RequestLogEntry[];
}

export interface OpenPersonOptions {
  readonly keyName?: string;
}

/**
 * Creates a user with an account, an API key, and a replay server that serves as two providers. The account
 * has no shadow conversations.
 */
export async function openPerson({ keyName = 'agent' }: OpenPersonOptions = {}): Promise<
  Omit<MeasuredAccount, 'rows'>
> {
  const { baseUrl } = sharedStack();
  const [provider, person] = await Promise.all([startProvider(), signUpPerson(baseUrl)]);
  // The response to a provider call without a queued response, such as a recovery round or a retry.
  provider.setControls(plainAnswer);
  const body = { policy: { shadow_share: 0 } };
  await send(baseUrl, { method: 'PATCH', path: '/v1/account/me', key: person.accessToken, body });
  const { key, id: keyId } = await createTestKey(baseUrl, person.accessToken, { name: keyName });
  for (const name of ['openai', 'anthropic']) {
    const credential = { provider: name, api_key: 'sk-upstream-0123456789', base_url: `${provider.url}/v1` };
    await connectProvider(baseUrl, person.accessToken, credential);
  }
  return { person, key, keyId, provider };
}

/**
 * Creates an account, and sends requests through real SDKs. The requests cover several sessions, two formats,
 * and streaming and non-streaming responses. One request fails.
 */
export async function openMeasuredAccount(): Promise<MeasuredAccount> {
  const opened = await openPerson();
  const { key, provider } = opened;
  for (const [at, session] of ['ticket-1', 'ticket-1', 'ticket-2', undefined].entries()) {
    enqueueCall(provider, at === 1 ? 'create_issue' : 'get_weather');
    await askWithTools(key, session);
  }
  await askPlain(key, provider);
  await askMessages(key, provider);
  const failing = connectOpenAi(key).chat.completions.create({ model: 'groq/nothing', messages: [hello] });
  await failing.catch(() => undefined);
  return { ...opened, rows: await waitForLog(key, 7) };
}

const hello = { role: 'user' as const, content: 'hello' };

async function askPlain(key: string, provider: ReplayProvider): Promise<void> {
  provider.enqueue(null, plainAnswer);
  await connectOpenAi(key).chat.completions.create({ model: 'openai/gpt-4o-mini', messages: [hello] });
}

async function askMessages(key: string, provider: ReplayProvider): Promise<void> {
  provider.enqueue(null, plainMessages(thoughtful));
  const client = new Anthropic({ baseURL: sharedStack().baseUrl, apiKey: key, maxRetries: 0 });
  const call = { model: 'anthropic/claude-sonnet-4-5', max_tokens: 100, messages: [hello] };
  await client.messages.create(call, { headers: { 'x-svc-session-id': 'ticket-2' } });
}

/** Waits until the request log has the given number of rows, and returns all rows. */
export function waitForLog(key: string, count: number): Promise<RequestLogEntry[]> {
  return eventually(async () => {
    const page = await callFor(requestLogPage, 200, { path: '/v1/account/requests?limit=500', key });
    return page.data.length >= count ? page.data : undefined;
  }, 30_000);
}
