import { startReplayProvider, startStack, type ReplayProvider, type StackUnderTest } from '@gateway/testing';
import { Client } from 'pg';

/** Starts a gateway in which the replay provider replaces all providers. Creates an API key with high limits. */
export interface ConnectedGateway {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly replay: ReplayProvider;
  stop(): Promise<void>;
}

/**
 * One provider per format, with the format's URL path prefix. Mistral has no Responses API, so the gateway
 * translates the requests of Responses clients.
 */
const connected = {
  openai: '/v1',
  mistral: '/v1',
  anthropic: '/v1',
  hosted: '',
  google: '/v1beta',
  cohere: '/v2',
} as const;

export async function startConnectedGateway(): Promise<ConnectedGateway> {
  const replay = await startReplayProvider();
  // Retries are off, so that the replay provider returns a recorded error response only once.
  const stack = await startStack({ env: { 'edge-gateway': { UPSTREAM_RETRIES_MAX: '0' } } });
  await leaveRequestsAlone(stack);
  const created = (await call(stack, 'POST', '/v1/account/keys', {
    name: 'conformance',
    rate_limit_rpm: 1_000_000,
  })) as { key: string };
  for (const [provider, path] of Object.entries(connected)) {
    await call(stack, 'PUT', '/v1/account/providers', {
      provider,
      api_key: 'provider-key-of-the-suite',
      base_url: replay.url + path,
    });
  }
  return {
    baseUrl: stack.baseUrl,
    apiKey: created.key,
    replay,
    stop: async () => {
      await stack.stop();
      await replay.close();
    },
  };
}

/** Returns an empty plan, which prunes no tools and compresses nothing. */
async function leaveRequestsAlone(stack: StackUnderTest): Promise<void> {
  const client = new Client({ connectionString: stack.dev.postgres.account });
  await client.connect();
  await client.query(`UPDATE routing_preferences SET pruning_mode = 'off', compression_mode = 'off'`);
  await client.end();
}

async function call(stack: StackUnderTest, method: string, path: string, body: unknown): Promise<unknown> {
  const answer = await fetch(stack.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
