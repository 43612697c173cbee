import type { StackUnderTest } from '@gateway/testing';

/**
 * Connects the provider at the given URL as `openai`. Creates an API key with limits that are enforced but
 * never reached. Returns the API key.
 */
export async function prepareAccount(stack: StackUnderTest, providerUrl: string): Promise<string> {
  await callAccount(stack, 'PUT', '/v1/account/providers', {
    provider: 'openai',
    api_key: 'sk-bench-provider-key',
    base_url: `${providerUrl}/v1`,
  });
  const created = await callAccount(stack, 'POST', '/v1/account/keys', {
    name: 'bench',
    rate_limit_rpm: 10_000_000,
    daily_token_budget: 1e15,
    weekly_token_budget: 1e15,
  });
  return (created as { key: string }).key;
}

/** Enables planning for Responses API requests. */
export async function planResponses(stack: Pick<StackUnderTest, 'baseUrl'>, apiKey: string): Promise<void> {
  const caller = { baseUrl: stack.baseUrl, apiKey };
  await callAccount(caller, 'PUT', '/v1/account/routing/preferences', { responses: { plan: true } });
}

/** Calls an endpoint of the account service. Throws an error with the response if the call fails. */
export async function callAccount(
  stack: Pick<StackUnderTest, 'baseUrl' | 'apiKey'>,
  method: string,
  route: string,
  body: unknown,
): Promise<unknown> {
  const answer = await fetch(stack.baseUrl + route, {
    method,
    headers: { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
