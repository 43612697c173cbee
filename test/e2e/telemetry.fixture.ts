import {
  ConverseCommand,
  ConverseStreamCommand,
  type BedrockRuntimeClient,
  type ConverseStreamCommandInput,
  type ConverseStreamCommandOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { requestLogPage, type RequestLogEntry, type UsageFigures } from '@gateway/contracts';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import OpenAI from 'openai';
import { eventually } from '../integration/stack.fixture.ts';
import { connectProvider, createTestAccount, createTestKey, type TestAccount } from './account.fixture.ts';
import { connectAnthropic, plainMessages, streamedMessages, thoughtful } from './anthropic.fixture.ts';
import {
  connectBedrock,
  plainConverse,
  readConverseStream,
  said,
  streamedConverse,
  streamedEvents,
} from './bedrock.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { callFor } from './governance.fixture.ts';
import { completion, plainAnswer } from './provider.fixture.ts';

export const { baseUrl } = sharedStack();

/** The usage and headers that the client received in one response. */
export interface SeenRequest {
  readonly id: string;
  readonly keyId: string;
  readonly sessionId: string | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly toolsIn: number;
  readonly toolsOut: number;
  readonly isError: boolean;
}

export interface Traffic {
  readonly account: TestAccount;
  /** The second API key of the account. */
  readonly second: { readonly id: string; readonly key: string };
  readonly seen: readonly SeenRequest[];
}

const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Get the current weather forecast for a city',
    // The compressor removes redundant schema fields, so every request has savings.
    parameters: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'GetWeatherArguments',
      type: 'object',
      properties: { city: { title: 'City', type: 'string' } },
    },
  },
};
const question = 'Get the current weather forecast for the city of München';

/** Makes the provider's next response call the given tool. */
export function enqueueCall(provider: ReplayProvider, name: string): void {
  const tool_calls = [{ id: 'call_1', type: 'function', function: { name, arguments: '{}' } }];
  const message = { role: 'assistant', content: null, tool_calls };
  const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
  provider.enqueue(null, { ...plainAnswer, body: { ...completion, choices } });
}

export async function openAccount(provider: ReplayProvider): Promise<TestAccount> {
  const account = await createTestAccount(sharedStack());
  for (const name of ['openai', 'anthropic']) {
    const body = { provider: name, api_key: 'sk-upstream-0123456789', base_url: `${provider.url}/v1` };
    await connectProvider(baseUrl, account.apiKey, body);
  }
  const hosted = { provider: 'hosted', api_key: 'upstream-0123456789', base_url: provider.url };
  await connectProvider(baseUrl, account.apiKey, hosted);
  return account;
}

/** Sends a request with 118 tools through OpenAI's SDK. */
export function askWithTools(apiKey: string, sessionId?: string) {
  const headers = sessionId === undefined ? {} : { 'x-svc-session-id': sessionId };
  const body = {
    model: 'openai/gpt-4o-mini',
    messages: [{ role: 'user' as const, content: question }],
    tools: [weather, ...githubTools],
  };
  return connectOpenAi(apiKey).chat.completions.create(body, { headers }).withResponse();
}

export function connectOpenAi(apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
}

/**
 * Sends requests through real SDKs from a separate account. The requests use two API keys, two session ids
 * and three formats. Some of the requests stream, and some fail.
 */
export async function makeTraffic(provider: ReplayProvider): Promise<Traffic> {
  const account = await openAccount(provider);
  const second = await createTestKey(baseUrl, account.apiKey, { name: 'second' });
  const seen: SeenRequest[] = [];
  const keys = [
    { id: account.keyId, key: account.apiKey },
    { id: second.id, key: second.key },
  ];
  for (const [at, { id: keyId, key }] of keys.entries()) {
    for (const sessionId of ['s-one', 's-two', null].slice(at)) {
      enqueueCall(provider, 'get_weather');
      const answer = await askWithTools(key, sessionId ?? undefined);
      seen.push({ ...seenOf(answer.response.headers), keyId, sessionId, ...tokensOf(answer.data.usage) });
    }
    seen.push(
      await askAnthropic(provider, key, keyId, false),
      await askAnthropic(provider, key, keyId, true),
      await askBedrock(provider, key, keyId, false),
      await askBedrock(provider, key, keyId, true),
    );
  }
  seen.push(await fail(account));
  return { account, second, seen };
}

const tokensOf = (usage: OpenAI.CompletionUsage | undefined) => ({
  promptTokens: usage?.prompt_tokens ?? 0,
  completionTokens: usage?.completion_tokens ?? 0,
});

function seenOf(headers: Headers) {
  const numberOf = (name: string) => Number(headers.get(name) ?? 0);
  return {
    id: headers.get('x-request-id') ?? '',
    toolsIn: numberOf('x-svc-tools-input'),
    toolsOut: numberOf('x-svc-tools-output'),
    isError: false,
  };
}

async function askAnthropic(
  provider: ReplayProvider,
  key: string,
  keyId: string,
  isStreamed: boolean,
): Promise<SeenRequest> {
  provider.enqueue(null, isStreamed ? streamedMessages() : plainMessages(thoughtful));
  const call = { model: 'anthropic/claude-sonnet-4-5', max_tokens: 100, messages: [hello] };
  const { messages } = connectAnthropic(baseUrl, key);
  const common = { keyId, sessionId: null };
  if (!isStreamed) {
    const { data, response } = await messages.create(call).withResponse();
    const { input_tokens: promptTokens, output_tokens: completionTokens } = data.usage;
    return { ...seenOf(response.headers), ...common, promptTokens, completionTokens };
  }
  const stream = messages.stream(call);
  const { usage } = await stream.finalMessage();
  const { response } = await stream.withResponse();
  const tokens = { promptTokens: usage.input_tokens, completionTokens: usage.output_tokens };
  return { ...seenOf(response.headers), ...common, ...tokens };
}

const hello = { role: 'user' as const, content: 'hello' };

async function askBedrock(
  provider: ReplayProvider,
  key: string,
  keyId: string,
  isStreamed: boolean,
): Promise<SeenRequest> {
  provider.enqueue(null, isStreamed ? streamedConverse(streamedEvents) : plainConverse(said));
  const modelId = 'hosted/anthropic.claude-sonnet-4-5-20250929-v1:0';
  const asked = { modelId, messages: [{ role: 'user' as const, content: [{ text: 'hello' }] }] };
  const client = connectBedrock(baseUrl, key);
  try {
    const { id, usage } = isStreamed
      ? await readStreamed(client, asked)
      : await client.send(new ConverseCommand(asked)).then((answer) => ({ ...answer, id: idOf(answer) }));
    const tokens = { promptTokens: usage?.inputTokens ?? 0, completionTokens: usage?.outputTokens ?? 0 };
    return { id, ...{ toolsIn: 0, toolsOut: 0, isError: false, keyId, sessionId: null }, ...tokens };
  } finally {
    client.destroy();
  }
}

async function readStreamed(client: BedrockRuntimeClient, asked: ConverseStreamCommandInput) {
  const answer = await client.send(new ConverseStreamCommand(asked));
  const { events } = await readConverseStream(answer.stream);
  const usage = events.find(({ metadata }) => metadata !== undefined)?.metadata?.usage;
  return { id: idOf(answer), usage };
}

const idOf = ({ $metadata }: Pick<ConverseStreamCommandOutput, '$metadata'>) => $metadata.requestId ?? '';

async function fail({ apiKey, keyId }: TestAccount): Promise<SeenRequest> {
  const call = connectOpenAi(apiKey).chat.completions.create(
    { model: 'groq/nothing', messages: [hello] },
    { headers: { 'x-svc-session-id': 's-two' } },
  );
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OpenAI.APIError)) throw new Error('the request did not fail', { cause: error });
  const common = { keyId, sessionId: 's-two', promptTokens: 0, completionTokens: 0 };
  return { ...seenOf(error.headers ?? new Headers()), ...common, isError: true };
}

/** The maximum number of entries in a page of the request log. */
const pageSize = 500;

/** Waits until the request log has the given number of rows, and returns all rows. */
export function waitForRows(apiKey: string, count: number): Promise<RequestLogEntry[]> {
  return eventually(async () => {
    const page = await callFor(requestLogPage, 200, {
      path: `/v1/account/requests?limit=${pageSize}`,
      key: apiKey,
    });
    // The API reads the total and the entries with separate queries, so only the total may contain a new entry.
    return Math.min(page.total, page.data.length) >= Math.min(count, pageSize) ? page.data : undefined;
  });
}

/** Returns the expected totals. The totals are computed from the request log only. */
export function sumLoggedRows(
  rows: readonly RequestLogEntry[],
): UsageFigures & { gross_savings_usd: number | null } {
  const known = rows.map((row) => row.gross_savings_usd).filter((usd) => usd !== null);
  const sum = known.reduce((total, usd) => total + usd, 0);
  return {
    ...sumRows(rows),
    gross_savings_usd: known.length > 0 ? (expect.closeTo(sum, 9) as number) : null,
  };
}

/**
 * Adds up rows of the request log in the test. Amounts are rounded to nine decimals, because floating-point
 * sums are inexact.
 */
export function sumRows(rows: readonly RequestLogEntry[]): UsageFigures {
  const sum = (read: (row: RequestLogEntry) => number | null) =>
    rows.reduce((total, row) => total + (read(row) ?? 0), 0);
  const measured = rows.some((row) => row.tool_tokens_saved !== null);
  const estimated_tokens_saved = sum((row) => row.estimated_tokens_saved);
  const compression_tokens_saved = sum((row) => row.compression_tokens_saved);
  return {
    requests: rows.length,
    errors: sum(({ status }) => (status === 'error' ? 1 : 0)),
    prompt_tokens: sum((row) => row.prompt_tokens),
    completion_tokens: sum((row) => row.completion_tokens),
    total_tokens: sum((row) => row.total_tokens),
    cached_tokens: sum((row) => row.cached_tokens),
    tools_in: sum((row) => row.tools_in),
    tools_out: sum((row) => row.tools_out),
    estimated_tokens_saved,
    compression_tokens_saved,
    total_tokens_saved: estimated_tokens_saved + compression_tokens_saved,
    tool_tokens_saved: measured ? sum((row) => row.tool_tokens_saved) : null,
    recovery_tokens: sum((row) => row.recovery_tokens),
    recovery_tokens_deducted: sum((row) => row.recovery_tokens_deducted),
    net_tokens_saved: sum((row) => row.net_tokens_saved),
    cost_usd: expect.closeTo(
      sum((row) => row.cost_usd),
      9,
    ) as number,
    unpriced_requests: sum((row) => (row.prompt_tokens !== null && row.cost_usd === null ? 1 : 0)),
    provider_savings_usd: rows.some((row) => row.provider_savings_usd !== null)
      ? (expect.closeTo(
          sum((row) => row.provider_savings_usd),
          9,
        ) as number)
      : null,
  };
}
