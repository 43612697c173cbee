import {
  createAccount,
  createdApiKey,
  createKey,
  requestDetail,
  type CreateApiKeyBody,
  type RequestDetail,
} from '@gateway/contracts';
import { createSealingKeyPair, openSealed } from '@gateway/messaging';
import type { StackUnderTest } from '@gateway/testing';
import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import { connectAs, eventually } from '../integration/stack.fixture.ts';
import { noteUsedSecret } from './canary-notes.fixture.ts';
import { send, type Answer } from './http.fixture.ts';

/** A separate account for one test, so that other tests cannot use up its limits or write to its log. */
export interface TestAccount {
  readonly accountId: string;
  readonly keyId: string;
  readonly apiKey: string;
}

/** Creates an account. Shadow conversations are off, unless the test needs the default policy. */
export async function createTestAccount(
  stack: StackUnderTest,
  { hasOwnPolicy = true }: { hasOwnPolicy?: boolean } = {},
): Promise<TestAccount> {
  const messaging = await connectAs(stack, 'operator');
  try {
    const { accountId } = await messaging.call(createAccount, { name: `test ${uuidv7()}`, isDemo: false });
    const { publicKey, privateKey } = createSealingKeyPair();
    const created = await messaging.call(createKey, {
      accountId,
      body: { name: 'first' },
      recipientPublicKey: publicKey,
    });
    const apiKey = openSealed(created.sealedSecret, privateKey).toString('utf8');
    noteUsedSecret('key of a test account', apiKey);
    if (hasOwnPolicy) await switchShadowOff(stack.baseUrl, apiKey);
    return { accountId, keyId: created.key.id, apiKey };
  } finally {
    await messaging.close();
  }
}

export type CreatedKey = z.output<typeof createdApiKey>;

/** Turns off shadow conversations, so that results do not depend on random sampling. */
async function switchShadowOff(gatewayUrl: string, key: string): Promise<void> {
  const body = { policy: { shadow_share: 0 } };
  const answer = await send(gatewayUrl, { method: 'PATCH', path: '/v1/account/me', key, body });
  if (answer.status !== 200) throw new Error(`shadow routing was not switched off: ${answer.text}`);
}

/** Creates an API key with `POST /v1/account/keys`. */
export async function createTestKey(
  baseUrl: string,
  apiKey: string,
  body: CreateApiKeyBody,
): Promise<CreatedKey> {
  const answer = await send(baseUrl, { path: '/v1/account/keys', key: apiKey, body });
  if (answer.status !== 201) throw new Error(`no key was created: ${answer.text}`);
  return createdApiKey.parse(answer.json());
}

/** Sends `PUT /v1/account/providers`, so that the gateway sends the account's provider calls to `baseUrl`. */
export async function connectProvider(
  gatewayUrl: string,
  apiKey: string,
  body: { provider: string; base_url?: string } & Record<string, string>,
): Promise<Answer> {
  const answer = await send(gatewayUrl, { method: 'PUT', path: '/v1/account/providers', key: apiKey, body });
  if (answer.status !== 200) throw new Error(`the provider was not connected: ${answer.text}`);
  return answer;
}

/** Connects one replay server as the providers `openai`, `anthropic` and `hosted`, one for each client format. */
export async function connectEachFormat(
  gatewayUrl: string,
  apiKey: string,
  standInUrl: string,
): Promise<void> {
  const urls = { openai: `${standInUrl}/v1`, anthropic: standInUrl, hosted: standInUrl };
  for (const [provider, base_url] of Object.entries(urls))
    await connectProvider(gatewayUrl, apiKey, { provider, api_key: 'upstream-key', base_url });
}

/** Waits for the request's row in the request log. */
export function waitForRow(baseUrl: string, apiKey: string, requestId: string): Promise<RequestDetail> {
  return eventually(async () => {
    const answer = await send(baseUrl, { path: `/v1/account/requests/${requestId}`, key: apiKey });
    return answer.status === 200 ? requestDetail.parse(answer.json()) : undefined;
  });
}

/** Returns the request id from a response's headers. */
export function requestIdOf(answer: { headers: Answer['headers'] }): string {
  const id = answer.headers['x-request-id'];
  if (typeof id !== 'string') throw new Error('the response has no X-Request-ID header');
  return id;
}
