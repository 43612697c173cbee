import { startReplayProvider, startStack, type ReplayProvider, type StackUnderTest } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import { send } from '../e2e/http.fixture.ts';
import type { ToolLists } from '../../apps/edge-gateway/src/tool-lists/tool-permission.ts';
import { endpoints, RequestWriter, type Endpoint } from './tool-lists/evasive-requests.ts';
import { readAnswer } from './tool-lists/client-readings.ts';
import { findForbidden, lists } from './tool-lists/lists.ts';
import { writeAnswer } from './tool-lists/provider-answers.ts';
import { Random } from './tool-lists/random.ts';
import { toolsSeen } from './tool-lists/server-readings.ts';

/** The number of requests per endpoint. A fixed seed makes failures reproducible. */
const requestsEach = 150;
const seed = 16;

let stack: StackUnderTest;
let provider: ReplayProvider;
let keys: { readonly key: string; readonly list: ToolLists }[];

beforeAll(async () => {
  provider = await startReplayProvider();
  stack = await startStack({ env: { 'edge-gateway': { UPSTREAM_RETRIES_MAX: '0' } } });
  const urls = { openai: `${provider.url}/v1`, anthropic: provider.url, hosted: provider.url };
  for (const [name, base_url] of Object.entries(urls))
    await account('PUT', '/v1/account/providers', { provider: name, api_key: 'upstream-key', base_url });
  keys = await Promise.all(lists.map(async (list) => ({ key: await createKey(list), list })));
  await waitMs(1_500);
}, 300_000);
afterAll(async () => {
  await stack.stop();
  await provider.close();
});

async function account(method: string, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await send(stack.baseUrl, { method, path, key: stack.apiKey, body });
  expect([200, 201]).toContain(answer.status);
  return answer.json() as Record<string, unknown>;
}

async function createKey({ allowedTools, deniedTools }: ToolLists): Promise<string> {
  const created = await account('POST', '/v1/account/keys', { name: 'fuzz', rate_limit_rpm: 100_000 });
  const body = { allowed_tools: allowedTools, denied_tools: deniedTools };
  await account('PUT', `/v1/account/keys/${String(created['id'])}/toollist`, body);
  return String(created['key']);
}

const paths: Readonly<Record<Endpoint, string>> = {
  'chat-completions': '/v1/chat/completions',
  messages: '/v1/messages',
  converse: '/model/hosted%2Famazon.nova-lite-v1%3A0/converse',
  responses: '/v1/responses',
};

test.each(endpoints)(
  `a running gateway never forwards or delivers a denied tool in ${requestsEach} requests to %s`,
  async (endpoint) => {
    const random = new Random(seed * 1_000 + endpoints.indexOf(endpoint));
    const writer = new RequestWriter(random, endpoint === 'messages' ? 'anthropic/' : 'openai/');
    const counts = { sent: 0, refused: 0, streamed: 0 };
    for (let at = 0; at < requestsEach; at += 1) {
      const isStream = random.chance(0.5);
      const { key, list } = random.pick(keys);
      const given = writeAnswer(random, endpoint, isStream);
      provider.reset();
      provider.setControls({
        status: 200,
        body: given.bytes,
        headers: { 'content-type': given.contentType },
      });
      const path = `${paths[endpoint]}${endpoint === 'converse' && isStream ? '-stream' : ''}`;
      const answer = await send(stack.baseUrl, { path, key, body: writer.write(endpoint) });
      const [received] = provider.requests;
      if (received === undefined) {
        expect(answer.status).toBe(400);
        counts.refused += 1;
        continue;
      }
      expect({ at, status: answer.status, text: answer.text }).toMatchObject({ at, status: 200 });
      const forwarded = findForbidden(toolsSeen(received.body), list);
      const called = findForbidden(readAnswer(endpoint, answer.bytes, isStream).called, list);
      expect({ at, forwarded, called }).toEqual({ at, forwarded: undefined, called: undefined });
      counts.sent += 1;
      if (isStream) counts.streamed += 1;
    }
    console.log(`${endpoint}: ${requestsEach} requests through the gateway, ${JSON.stringify(counts)}`);
    expect(counts.sent).toBeGreaterThan(requestsEach / 10);
  },
  300_000,
);
