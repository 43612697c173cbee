import { requestDetail, type RequestDetail } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as waitMs } from 'node:timers/promises';
import { z } from 'zod';
import { eventually } from '../integration/stack.fixture.ts';
import { connectProvider, createTestAccount, type TestAccount } from './account.fixture.ts';
import { call, callFor } from './governance.fixture.ts';
import { send, type Answer } from './http.fixture.ts';
import { completion } from './provider.fixture.ts';

/** A provider that responds to every request after a fixed delay, in the format that the request path implies. */
export interface RoutedProvider {
  readonly name: string;
  readonly url: string;
  delayMs: number;
  /** The model names in the received requests, in order. */
  readonly asked: string[];
  close(): Promise<void>;
}

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hello.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1000, output_tokens: 1 },
};
const chat = { ...completion, usage: { prompt_tokens: 1000, completion_tokens: 1, total_tokens: 1001 } };
const asked = z.looseObject({ model: z.string() });

async function startProvider(name: string): Promise<RoutedProvider> {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ data: [{ id: 'a-model-of-tomorrow' }, 'no entry'] }));
        return;
      }
      provider.asked.push(asked.parse(JSON.parse(Buffer.concat(chunks).toString('utf8'))).model);
      void waitMs(provider.delayMs).then(() => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(request.url?.endsWith('/messages') ? message : chat));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  const provider: RoutedProvider = { name, url: `http://127.0.0.1:${port}`, delayMs: 0, asked: [], close };
  return provider;
}

/**
 * A separate account with three connected providers. Two of the providers share a format, and the third
 * provider has another format.
 */
export interface RoutedWorld {
  readonly account: TestAccount;
  readonly providers: readonly RoutedProvider[];
  close(): Promise<void>;
}

export async function openRoutedWorld(): Promise<RoutedWorld> {
  const { baseUrl } = sharedStack();
  const account = await createTestAccount(sharedStack());
  const providers = await Promise.all(['openai', 'anthropic', 'mistral'].map(startProvider));
  for (const { name, url } of providers) {
    const body = { provider: name, api_key: 'sk-upstream-0123456789', base_url: `${url}/v1` };
    await connectProvider(baseUrl, account.apiKey, body);
  }
  return {
    account,
    providers,
    close: async () => {
      await Promise.all(providers.map((provider) => provider.close()));
    },
  };
}

export const easy = 'What is the capital of France?';
export const hard =
  'Prove that the square root of every integer that is not a perfect square is irrational, step by step; then derive a bound on how well it can be approximated by fractions, and refactor the proof so that it needs no prime factorization.';

/** The maximum time in milliseconds until the worker writes a request log row on a busy machine. */
const logMsMax = 30_000;

/** The response headers of a chat request, and the model choice that its request log row records. */
export interface Chosen {
  readonly id: string;
  readonly detail: RequestDetail;
  readonly choice: NonNullable<RequestDetail['model_choice']>;
}

export const sayAs = (content: string) => [{ role: 'user', content }];

/** Sends a chat completions request and expects success. */
export async function askRouted(
  key: string,
  body: object,
  edge = sharedStack().baseUrl,
  headers: Record<string, string> = {},
): Promise<Chosen> {
  return readChosen(key, await send(edge, { path: '/v1/chat/completions', key, body, headers }));
}

/**
 * Expects the same model in the response headers, in the request log, and as the first candidate of the
 * logged model choice.
 */
export async function readChosen(key: string, answer: Answer): Promise<Chosen> {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  const id = `${String(answer.headers['x-svc-provider'])}/${String(answer.headers['x-svc-model'])}`;
  const path = `/v1/account/requests/${String(answer.headers['x-request-id'])}`;
  const detail = await eventually(async () => {
    const found = await send(sharedStack().baseUrl, { path, key });
    return found.status === 200 ? requestDetail.parse(found.json()) : undefined;
  }, logMsMax);
  const choice = detail.model_choice;
  if (choice === null) throw new Error('the log row has no model choice');
  expect({
    logged: `${detail.provider ?? ''}/${detail.model ?? ''}`,
    first: choice.candidates[0]?.id,
  }).toEqual({
    logged: id,
    first: id,
  });
  return { id, detail, choice };
}

export function changePreferences(key: string, body: object): Promise<Record<string, unknown>> {
  return call(200, { method: 'PUT', path: '/v1/account/routing/preferences', key, body });
}

export function toggle(key: string, id: string, isEnabled: boolean): Promise<Record<string, unknown>> {
  const slash = id.indexOf('/');
  const body = { provider: id.slice(0, slash), model_id: id.slice(slash + 1), is_enabled: isEnabled };
  return call(200, { method: 'POST', path: '/v1/account/routing/models/toggle', key, body });
}

const priced = z.looseObject({
  id: z.string(),
  input_cost_usd_per_mtok: z.number().nullable(),
  output_cost_usd_per_mtok: z.number().nullable(),
});

export async function listPrices(key: string): Promise<Map<string, readonly (number | null)[]>> {
  const list = z.looseObject({ data: z.array(priced) });
  const { data } = await callFor(list, 200, { path: '/v1/account/routing/models/status', key });
  return new Map(
    data.map(({ id, input_cost_usd_per_mtok: input, output_cost_usd_per_mtok: output }) => [
      id,
      [input, output],
    ]),
  );
}
