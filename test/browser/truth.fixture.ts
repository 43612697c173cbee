import { routingCalibration, type RequestDetail, type RoutingCalibration } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import { createTestKey, waitForRow } from '../e2e/account.fixture.ts';
import { call, callFor } from '../e2e/governance.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';
import { openPerson, type MeasuredAccount } from './measured.fixture.ts';
import {
  callTurn,
  KnownTraffic,
  longList,
  question,
  recoverTurns,
  shortList,
  type KnownRequest,
} from './truth-traffic.fixture.ts';

/** The account's recall target for effective recall. */
export const target = 0.8;
/** The prior of the recovery rate, which applies until the account's recovery rate has been measured. */
export const priorRate = 0.5;
/**
 * The number of shadow conversations with the long tool list. In two of the shadow conversations with the
 * long tool list, the model needs a tool that the plan pruned. With a recovery rate of 0.5, one of 28
 * conversations misses a tool. Effective recall is at least 84%, which meets the recall target.
 */
export const longConversations = 28;
export const longMisses = 2;
/**
 * The number of shadow conversations with the short tool list. In each of these conversations, the model
 * needs a pruned tool, so six of twelve conversations miss a tool. Effective recall is at most 75%, which is
 * below the recall target, so pruning is turned off.
 */
export const shortConversations = 12;

/** An account for which all client requests and provider calls are known. */
export interface KnownAccount extends Omit<MeasuredAccount, 'rows'> {
  readonly traffic: KnownTraffic;
  readonly calibration: RoutingCalibration;
  /** A request with a measured K, a request with a recovered tool, and the next turn of the first conversation. */
  readonly pruned: KnownRequest;
  readonly recovered: KnownRequest;
  readonly frozen: KnownRequest;
  /** A request with the short tool list, for which pruning is turned off. */
  readonly off: KnownRequest;
  /** A request with an API key that has a fixed K. */
  readonly overridden: KnownRequest;
  readonly overrideKeyId: string;
  /** The name of a tool that is pruned in every plan for the long tool list. */
  readonly deep: string;
}

export const overrideK = 5;
/** The number of additional requests, enough for routing insights. */
const busyRequests = 20;

/**
 * Sends the known requests. Waits until the request log contains the requests and the gateway applies the
 * routing policy.
 */
export async function openKnownAccount(): Promise<KnownAccount> {
  const opened = await openPerson();
  const { person, key, keyId, provider } = opened;
  const { baseUrl } = sharedStack();
  await configure(person.accessToken);
  const own = await createTestKey(baseUrl, person.accessToken, {
    name: 'own-k',
    k_target_override: overrideK,
  });
  const traffic = new KnownTraffic(provider);
  const agent = { id: keyId, key };
  const deep = await measureInShadow(traffic, agent);
  const calibration = await waitForCalibration(person.accessToken);
  await prune(person.accessToken);
  await waitForPolicy(traffic, agent, calibration.version);
  const ask = { key: agent, tools: longList, messages: say(question) };
  const pruned = await traffic.send({ ...ask, session: 'pruned', turns: [callTurn('get_weather')] });
  const recovered = await traffic.send({ ...ask, session: 'recovered', turns: recoverTurns(deep) });
  const frozen = await traffic.send({
    ...ask,
    session: 'pruned',
    messages: answered,
    turns: [{ text: 'Rain.' }],
  });
  await traffic.send({ ...ask, session: 'streamed', turns: [callTurn('get_weather')], stream: true });
  for (let at = 0; at < busyRequests; at += 1)
    // One of the requests calls a pruned tool directly.
    await traffic.send({ ...ask, session: 'busy', turns: [callTurn(at === 0 ? deep : 'get_weather')] });
  const off = await traffic.send({ ...ask, tools: shortList, session: 'off', turns: [{ text: 'Rain.' }] });
  const overridden = await traffic.send({
    ...{ ...ask, key: { id: own.id, key: own.key } },
    ...{ session: 'overridden', turns: [callTurn('get_weather')] },
  });
  await waitForRow(baseUrl, person.accessToken, overridden.id);
  return {
    ...opened,
    ...{ traffic, calibration, pruned, recovered, frozen, off, overridden, overrideKeyId: own.id, deep },
  };
}

const say = (text: string) => [{ role: 'user' as const, content: text }];
/** The messages of the conversation's second request. One of the messages contains the tool result. */
const answered = [
  ...say(question),
  {
    role: 'assistant' as const,
    content: null,
    tool_calls: [
      { id: 'call_1', type: 'function' as const, function: { name: 'get_weather', arguments: '{}' } },
    ],
  },
  { role: 'tool' as const, tool_call_id: 'call_1', content: 'Rain, 9 degrees.' },
];

const preferences = '/v1/account/routing/preferences';

/** Makes all conversations shadow conversations, and enables content logging. */
async function configure(key: string): Promise<void> {
  const policy = { shadow_share: 0, content_logging: true };
  await call(200, { method: 'PATCH', path: '/v1/account/me', key, body: { policy } });
  const pruning = { mode: 'shadow', recall_target: target };
  await call(200, { method: 'PUT', path: preferences, key, body: { pruning } });
}

async function prune(key: string): Promise<void> {
  await call(200, { method: 'PUT', path: preferences, key, body: { pruning: { mode: 'on' } } });
}

type Agent = { readonly id: string; readonly key: string };

/**
 * Sends the shadow conversations. In some shadow conversations, the model calls a tool that the plan would
 * prune.
 */
async function measureInShadow(traffic: KnownTraffic, key: Agent): Promise<string> {
  const ask = (tools: typeof longList, session: string, tool: string) =>
    traffic.send({ key, tools, session, messages: say(question), turns: [callTurn(tool)] });
  const first = await ask(longList, 'long-0', 'get_weather');
  const { trace } = await readDetail(first.id, key.key);
  const names = new Set(shortList.map((tool) => tool.function.name));
  const deep = trace.candidates.findLast(({ planned, name }) => !planned && names.has(name))!.name;
  for (let at = 1; at < longConversations; at += 1)
    await ask(longList, `long-${at}`, at <= longMisses ? deep : 'get_weather');
  for (let at = 0; at < shortConversations; at += 1) await ask(shortList, `short-${at}`, deep);
  return deep;
}

/** Waits until a request is in the request log, and returns its details. */
export function readDetail(id: string, key: string): Promise<RequestDetail> {
  return waitForRow(sharedStack().baseUrl, key, id);
}

function waitForCalibration(key: string): Promise<RoutingCalibration> {
  return eventually(async () => {
    const read = await callFor(routingCalibration, 200, { path: '/v1/account/routing/calibration', key });
    const all = read.buckets.filter(({ bucket }) => bucket.startsWith('*'));
    const samples = all.reduce((sum, bucket) => sum + bucket.samples, 0);
    return samples === longConversations + shortConversations ? read : undefined;
  });
}

/**
 * Sends requests until one request is planned with the routing policy. Adds the sent requests to the list of
 * known requests.
 */
async function waitForPolicy(traffic: KnownTraffic, key: Agent, version: string | null): Promise<void> {
  let at = 0;
  await eventually(async () => {
    const ask = { key, tools: longList, session: `probe-${(at += 1)}`, messages: say(question) };
    const { id } = await traffic.send({ ...ask, turns: [{ text: 'Rain.' }] });
    const { trace } = await readDetail(id, key.key);
    const isCurrent = trace.toolset_version?.endsWith(`/${version}`) === true;
    return (isCurrent && trace.k_reason !== 'shadow') || undefined;
  });
}
