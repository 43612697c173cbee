import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineTools, planToolsAt, type PlanToolsReply, type PlanToolsRequest } from '@gateway/contracts';
import { connectMessaging, type Messaging } from '@gateway/messaging';
import { startNatsServer, startStack } from '@gateway/testing';
import { eventually, undoAll, type Undo } from '../stack.fixture.ts';
import { buildApps, startService, type ServiceProcess } from './services.fixture.ts';

type Planned = Extract<PlanToolsReply, { status: 'planned' }>;

interface ChatTool {
  readonly function: { readonly name: string; readonly description: string; readonly parameters: unknown };
}

const file = join(import.meta.dirname, '../../../libs/testing/data/github-tools.json');
const definitions = (JSON.parse(readFileSync(file, 'utf8')) as ChatTool[]).map((tool) => ({
  hash: createHash('sha256').update(JSON.stringify(tool)).digest('hex'),
  ...tool.function,
  examples: [],
}));
const toolHashes = definitions.map(({ hash }) => hash);
const question: PlanToolsRequest = {
  accountId: '019a9f5e-0000-7000-8000-000000000001',
  requestId: '019a9f5e-0000-7000-8000-000000000002',
  listHash: createHash('sha256').update(toolHashes.join('\n')).digest('hex'),
  toolHashes,
  userTurns: ['Create an issue in acme/widgets titled "Login button does nothing"'],
  ...{ calledTools: [], recentResults: [], forcedTools: [], pinned: [], kOverride: null, recallTarget: 0.95 },
};
const turns = [
  ...question.userTurns,
  'Now publish version 2.0 and announce it to everybody who watches the project',
];

const undo: Undo[] = [];
let natsUrl: string;
let redisUrl: string;
let edge: Messaging;

beforeAll(async () => {
  buildApps('tool-router');
  const stack = await startStack({ apps: [] });
  undo.push(() => stack.stop());
  redisUrl = stack.dev.redis_cache_url;
  const nats = await startNatsServer();
  undo.push(() => nats.close());
  natsUrl = nats.url;
  const as = { user: 'edge-gateway', password: 'x', name: 'edge', instanceId: 'edge-1' };
  edge = await connectMessaging({ url: natsUrl, ...as });
  undo.push(() => edge.close());
}, 180_000);
afterAll(() => undoAll(undo), 60_000);

/** Starts a tool router replica that knows the tools. No test depends on the load of the machine. */
async function startRouter(instanceId: string, encoder: 'minilm' | 'static') {
  const service = await startService('tool-router', natsUrl, {
    ...{ INSTANCE_ID: instanceId, ROUTER_ENCODER: encoder, REDIS_CACHE_URL: redisUrl },
    ROUTER_SEMANTIC_BUDGET_MS: '9000',
  });
  undo.push(() => service.stop());
  const at = { instanceId, deadlineMs: 20_000 };
  await edge.call(defineTools, { tools: definitions }, at);
  const plan = async (fields: Partial<PlanToolsRequest> = {}): Promise<Planned> => {
    const reply = await edge.call(planToolsAt, { ...question, ...fields }, at);
    if (reply.status !== 'planned') throw new Error('the tools are known');
    return reply;
  };
  return { service, plan };
}

/** Returns a metric with the given labels, or 0 if the metric does not exist yet. */
async function metricOf({ healthUrl }: ServiceProcess, name: string, ...labels: string[]): Promise<number> {
  const text = await (await fetch(`${healthUrl}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`));
  return Number(
    lines
      .find((line) => labels.every((label) => line.includes(label)))
      ?.split(' ')
      .at(-1) ?? 0,
  );
}
const secondVectors = 'tool_router_second_vectors';

/** A conversation's second request, including the state that the gateway stores after the first turn. */
const continued = ({
  chosen = [],
  policyVersion,
  method,
  way = null,
  isShadow,
}: Planned): Partial<PlanToolsRequest> => ({
  userTurns: turns,
  session: { forwarded: chosen, turns: 1, policyVersion, lane: method, way, isShadow },
});

it('a list’s first conversation uses the first encoder and keeps it, and later conversations use both encoders on every replica', async () => {
  const one = await startRouter('router-1', 'minilm');
  const first = await one.plan();
  expect(first.policyVersion).toMatch(/^semantic\.1\./);
  await eventually(async () => ((await metricOf(one.service, secondVectors)) === 117 ? true : undefined));

  // The first conversation continues as it would on a router without the second encoder.
  const withoutSecond = await startRouter('router-2', 'static');
  const goneOn = await one.plan(continued(first));
  expect(goneOn.policyVersion).toBe(first.policyVersion);
  expect(goneOn).toEqual(await withoutSecond.plan(continued(first)));

  // A new conversation uses both encoders.
  const second = await one.plan();
  expect(second.policyVersion).toMatch(/^semantic\.2\./);
  expect(second.candidates.map(({ score }) => score)).not.toEqual(first.candidates.map(({ score }) => score));
  const later = await one.plan(continued(second));
  expect(later.policyVersion).toBe(second.policyVersion);

  // A second replica loads the vectors from Redis and returns the same plans.
  // On a busy machine, some writes to Redis time out, so the replica computes the missing vectors itself.
  const replica = await startRouter('router-3', 'minilm');
  await eventually(async () => ((await metricOf(replica.service, secondVectors)) === 117 ? true : undefined));
  expect(
    await metricOf(replica.service, 'tool_router_vectors_total', 'source="shared"', 'encoder="second"'),
  ).toBeGreaterThan(0);
  expect(await replica.plan()).toEqual(second);
  expect(await replica.plan(continued(second))).toEqual(later);

  // A router without the second encoder ranks differently, so the router keeps the conversation's tool set.
  const frozen = await withoutSecond.plan(continued(second));
  expect(frozen).toMatchObject({ kReason: 'frozen', policyVersion: second.policyVersion });
  expect(frozen.chosen).toEqual(second.chosen);
}, 240_000);
