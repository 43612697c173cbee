import { randomUUID } from 'node:crypto';
import { startStack, type StackUnderTest } from '@gateway/testing';
import { connectProvider, createTestAccount, createTestKey } from '../e2e/account.fixture.ts';
import { send } from '../e2e/http.fixture.ts';
import { startCutLink, type CutLink } from '../faults/cut-link.fixture.ts';
import { startEdge, type EdgeProcess } from '../faults/edge-process.fixture.ts';
import { undoAll, type Undo } from '../integration/stack.fixture.ts';
import { forbiddenTool, type ChatKey } from './chat-operations.ts';
import type { ChaosAccount } from './clients.ts';
import type { LimitedKey } from './history.ts';
import type { Edge } from './recorder.ts';
import { startUpstream, type Upstream } from './upstream.ts';

/** A private stack with two edges, a recording provider and accounts. */
export interface Scene {
  readonly stack: StackUnderTest;
  readonly upstream: Upstream;
  readonly links: ReadonlyMap<string, CutLink>;
  readonly farEdge: EdgeProcess;
  readonly edges: readonly Edge[];
  readonly accounts: readonly ChaosAccount[];
  readonly doomed: ChaosAccount;
  readonly close: () => Promise<void>;
}

const rateLimitRpm = 40;
const dailyTokenBudget = 15_000;
/** The request limits of the second edge for account routes, per minute. */
const raisedLimits = { ACCOUNT_READ_RPM: '100000', ACCOUNT_WRITE_RPM: '100000' };

/** Starts two replicas of the account service and of the vault, and a second edge with breakable network links. */
export async function openScene(now: () => number): Promise<Scene> {
  const undo: Undo[] = [];
  try {
    const stack = await startStack({ restartCrashed: true, replicas: { account: 2, 'provider-vault': 2 } });
    undo.push(() => stack.stop());
    const upstream = await startUpstream(now);
    undo.push(() => upstream.close());
    const { links, farEdge } = await startFarEdge(stack, undo);
    const edges = [
      { name: 'edge-gateway', url: stack.baseUrl },
      { name: 'far-edge', url: farEdge.baseUrl },
    ];
    const accounts = [
      await openAccount(stack, upstream, { rate_limit_rpm: rateLimitRpm }),
      await openAccount(stack, upstream, { daily_token_budget: dailyTokenBudget, rate_limit_rpm: 100_000 }),
    ];
    const doomed = await openAccount(stack, upstream, null);
    const close = () => undoAll(undo);
    return { stack, upstream, links, farEdge, edges, accounts, doomed, close };
  } catch (error) {
    await undoAll(undo);
    throw error;
  }
}

async function startFarEdge(
  stack: StackUnderTest,
  undo: Undo[],
): Promise<{ links: Map<string, CutLink>; farEdge: EdgeProcess }> {
  const redis = stack.redisUrls('edge-gateway');
  const targets = { nats: stack.dev.nats_url, redis: redis.queue, 'redis-cache': redis.cache };
  const links = new Map<string, CutLink>();
  const through = new Map<string, string>();
  for (const [name, address] of Object.entries(targets)) {
    const { hostname, port } = new URL(address);
    const link = await startCutLink({ host: hostname, port: Number(port) });
    undo.push(() => link.close());
    links.set(name, link);
    through.set(name, address.replace(`${hostname}:${port}`, link.address));
  }
  const farEdge = await startEdge(stack, {
    ...raisedLimits,
    NATS_URL: through.get('nats')!,
    REDIS_URL: through.get('redis')!,
    REDIS_CACHE_URL: through.get('redis-cache')!,
  });
  undo.push(() => farEdge.stop());
  return { links, farEdge };
}

/** Creates an account with connected providers, two permanent keys, and optionally a key with a limit. */
async function openAccount(
  stack: StackUnderTest,
  { url }: Upstream,
  limited: { rate_limit_rpm: number; daily_token_budget?: number } | null,
): Promise<ChaosAccount> {
  const { accountId, keyId, apiKey } = await createTestAccount(stack);
  const providers = { openai: `${url}/v1`, anthropic: url };
  const providerKey = `sk-up-${randomUUID()}`;
  for (const [provider, base_url] of Object.entries(providers))
    await connectProvider(stack.baseUrl, apiKey, { provider, base_url, api_key: providerKey });
  const own = await send(stack.baseUrl, { path: '/v1/account/me', key: apiKey });
  const { name: accountName } = own.json() as { name: string };
  const createChatKey = (body: object): Promise<ChatKey> => openChatKey(stack.baseUrl, apiKey, body);
  const chatKeys = [await createChatKey({}), await createChatKey({})];
  const limitedKey = limited && { key: await createChatKey(limited), limit: describeLimit(limited) };
  return {
    ...{ accountId, accountName, keyId, apiKey, providerKey, chatKeys, upstreamUrl: url },
    ...{ pool: new Map<string, ChatKey>(), known: new Set<string>() },
    limitedKey: limitedKey && {
      key: limitedKey.key,
      limit: { ...limitedKey.limit, keyId: limitedKey.key.id },
    },
  };
}

const describeLimit = (limited: {
  rate_limit_rpm: number;
  daily_token_budget?: number;
}): Omit<LimitedKey, 'keyId'> => ({
  rateLimitRpm: limited.daily_token_budget === undefined ? limited.rate_limit_rpm : null,
  dailyTokenBudget: limited.daily_token_budget ?? null,
});

async function openChatKey(baseUrl: string, apiKey: string, body: object): Promise<ChatKey> {
  const given = { name: 'chat', rate_limit_rpm: 100_000, ...body };
  const { id, key } = await createTestKey(baseUrl, apiKey, given);
  const path = `/v1/account/keys/${id}/toollist`;
  const denied = { denied_tools: [forbiddenTool] };
  const answer = await send(baseUrl, { method: 'PUT', path, key: apiKey, body: denied });
  if (answer.status !== 200) throw new Error(`the tool was not denied: ${answer.text}`);
  return { id, secret: key, marks: [] };
}
