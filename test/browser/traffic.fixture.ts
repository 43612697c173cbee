import Anthropic from '@anthropic-ai/sdk';
import { ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import type { TestPerson } from '@gateway/testing';
import OpenAI from 'openai';
import { waitForRow } from '../e2e/account.fixture.ts';
import { connectBedrock } from '../e2e/bedrock.fixture.ts';
import { githubTools } from '../e2e/github-tools.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';

const model = 'sandbox/sandbox-1';
const question = 'Star the repository octo/hello for me';

/** Strings that every page must display as plain text. Some strings contain a right-to-left override. */
export const hostile = {
  tool: 'x<img src=x onerror=hit()>',
  description: '<script>hit()</script> "quoted" \u202Egnp.exe {{7*7}} ${hit()}',
  session: '<svg/onload=hit()>-session',
  model: 'sandbox/<b onmouseover=hit()>bold</b>\u202Elave',
  keyName: '<iframe src=javascript:hit()>\u202Eyek',
} as const;

export interface Traffic {
  readonly key: string;
  /** The id of a request that has ranked tools. */
  readonly requestId: string;
}

/**
 * Creates an API key and sends requests with the SDKs for the three formats. Some requests contain malicious
 * input.
 */
export async function makeTraffic(baseUrl: string, person: TestPerson): Promise<Traffic> {
  const response = await fetch(`${baseUrl}/v1/account/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: hostile.keyName }),
  });
  const { key } = (await response.json()) as { key: string };
  const requestId = await callByOpenAi(baseUrl, key);
  await callByAnthropic(baseUrl, key);
  await callByBedrock(baseUrl, key);
  return { key, requestId };
}

async function callByOpenAi(baseUrl: string, apiKey: string): Promise<string> {
  const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: question }];
  const odd = {
    type: 'function' as const,
    function: {
      name: hostile.tool,
      description: hostile.description,
      parameters: { type: 'object', properties: {} },
    },
  };
  const headers = { 'x-svc-session-id': hostile.session };
  const tools = [...githubTools, odd];
  const { response } = await client.chat.completions
    .create({ model, messages, tools }, { headers })
    .withResponse();
  const stream = await client.chat.completions.create({ model, messages, stream: true }, { headers });
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  await client.chat.completions
    .create({ model: hostile.model, messages }, { headers })
    .catch(() => undefined);
  return response.headers.get('x-request-id') ?? '';
}

async function callByAnthropic(baseUrl: string, authToken: string): Promise<void> {
  const client = new Anthropic({ baseURL: baseUrl, authToken, apiKey: null, maxRetries: 0 });
  await client.messages.create({ model, max_tokens: 100, messages: [{ role: 'user', content: question }] });
}

async function callByBedrock(baseUrl: string, apiKey: string): Promise<void> {
  const messages = [{ role: 'user' as const, content: [{ text: question }] }];
  await connectBedrock(baseUrl, apiKey).send(new ConverseCommand({ modelId: model, messages }));
}

/** Waits until the request log contains the given number of requests. */
export async function waitForRequests(baseUrl: string, key: string, count: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  for (let tries = 0; tries < 240; tries++) {
    const { total } = (await (await fetch(`${baseUrl}/v1/account/requests`, { headers })).json()) as {
      total: number;
    };
    if (total >= count) return;
    await new Promise((settle) => setTimeout(settle, 250));
  }
  throw new Error('the requests did not appear in the log');
}

/**
 * Waits until a request's contents are stored. Request contents are stored separately from the request log
 * row.
 */
export async function waitForContent(baseUrl: string, key: string, requestId: string): Promise<void> {
  await eventually(async () => (await waitForRow(baseUrl, key, requestId)).content ?? undefined);
}
