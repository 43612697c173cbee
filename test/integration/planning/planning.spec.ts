import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  compressSchemas,
  defineTools,
  hashTurns,
  planTools,
  planToolsAt,
  type PlanToolsRequest,
} from '@gateway/contracts';
import { connectMessaging, type Messaging } from '@gateway/messaging';
import { findFreePort, startNatsServer, type NatsServer } from '@gateway/testing';
import { applyEdits } from '@gateway/wire-formats';
import { eventually, undoAll, type Undo } from '../stack.fixture.ts';
import { buildApps, startService, type ServiceProcess } from './services.fixture.ts';

interface ChatTool {
  readonly function: { readonly name: string; readonly description: string; readonly parameters: unknown };
}

const file = join(import.meta.dirname, '../../../libs/testing/data/github-tools.json');
const texts = (JSON.parse(readFileSync(file, 'utf8')) as ChatTool[]).map((tool) =>
  JSON.stringify(tool, null, 2),
);
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hashes = texts.map(sha256);
const definitions = texts.map((text, at) => {
  const { name, description, parameters } = (JSON.parse(text) as ChatTool).function;
  return { hash: hashes[at]!, name, description, parameters, examples: [] };
});
const question: PlanToolsRequest = {
  accountId: '019a9f5e-0000-7000-8000-000000000001',
  requestId: '019a9f5e-0000-7000-8000-000000000002',
  listHash: sha256(hashes.join('\n')),
  userTurns: ['Create an issue in acme/widgets titled "Login button does nothing"'],
  calledTools: [],
  recentResults: [],
  forcedTools: [],
  pinned: [],
  kOverride: null,
  recallTarget: 0.95,
};

/** A long deadline makes the tests independent of the machine load. */
const unhurried = { deadlineMs: 10_000 };
const unhurriedRouter = {
  ROUTER_SEMANTIC_BUDGET_MS: '9000',
  // With the second encoder, plans change as soon as the tools are encoded in the background (encoders.spec.ts).
  ROUTER_ENCODER: 'static',
};
const undo: Undo[] = [];
let nats: NatsServer;
let edge: Messaging;
let router: ServiceProcess;

beforeAll(async () => {
  buildApps('tool-router', 'compressor');
  nats = await startNatsServer();
  undo.push(() => nats.close());
  router = await startService('tool-router', nats.url, { INSTANCE_ID: 'router-1', ...unhurriedRouter });
  undo.push(() => router.stop());
  const compressor = await startService('compressor', nats.url, {
    REDIS_CACHE_URL: `redis://127.0.0.1:${await findFreePort()}`,
    ORIGINALS_KEY: Buffer.alloc(32, 1).toString('base64'),
  });
  undo.push(() => compressor.stop());
  const connection = {
    url: nats.url,
    user: 'edge-gateway',
    password: 'x',
    name: 'edge',
    instanceId: 'edge-1',
  };
  edge = await connectMessaging(connection);
  undo.push(() => edge.close());
}, 180_000);
afterAll(() => undoAll(undo));

describe('the tool router process', () => {
  it('the tool router requests the tool list, then the tool definitions, and stores the tool list afterwards', async () => {
    const list = { ...question, toolHashes: hashes };
    const unknown = { status: 'unknown', instanceId: 'router-1' };
    expect(await edge.call(planTools, question, unhurried)).toEqual({ ...unknown, missing: [] });
    expect(await edge.call(planTools, list, unhurried)).toEqual({ ...unknown, missing: hashes });
    const at = { instanceId: 'router-1', ...unhurried };
    expect(await edge.call(defineTools, { tools: definitions }, at)).toEqual({ known: 117 });
    const planned = await edge.call(planToolsAt, list, at);
    expect(planned).toMatchObject({ status: 'planned', kReason: 'prior', method: 'semantic', intent: 'act' });
    expect(await edge.call(planTools, question, unhurried)).toEqual(planned);
  });

  it('the tool router forwards fewer tools, including the needed tool', async () => {
    const planned = await edge.call(planTools, question, unhurried);
    if (planned.status !== 'planned') throw new Error('the list is known');
    expect(planned.forwarded.length).toBeLessThan(60);
    expect(planned.forwarded.map((position) => definitions[position]?.name)).toContain('create_issue');
  });

  it('another replica of the tool router, which received the tools separately, returns the same plan', async () => {
    const replica = await startService('tool-router', nats.url, {
      INSTANCE_ID: 'router-2',
      ...unhurriedRouter,
    });
    try {
      const at = { instanceId: 'router-2', ...unhurried };
      await edge.call(defineTools, { tools: definitions }, at);
      const theirs = await edge.call(planToolsAt, { ...question, toolHashes: hashes }, at);
      expect(theirs).toEqual(
        await edge.call(planToolsAt, question, { instanceId: 'router-1', ...unhurried }),
      );
    } finally {
      await replica.stop();
    }
  });

  it('after the router has received earlier turns, the hash of the turns leads to the plan that their text leads to', async () => {
    const earlier = ['Find the flaky tests of acme/widgets. '.repeat(80), 'And their owners. '.repeat(80)];
    const newest = 'Now merge the pull request that mends them';
    const whole = { ...question, userTurns: [...earlier, newest] };
    const named = { ...question, userTurns: [newest], earlierTurns: hashTurns(earlier) };
    expect(await edge.call(planTools, named, unhurried)).toEqual({
      status: 'unknown',
      missing: [],
      instanceId: 'router-1',
    });
    const planned = await edge.call(planTools, whole, unhurried);
    expect(planned.status).toBe('planned');
    expect(await edge.call(planTools, named, unhurried)).toEqual(planned);
  });

  it('the router rejects a tool list with the hash of another tool list', async () => {
    const wrong = { ...question, listHash: '0'.repeat(64), toolHashes: hashes };
    await expect(edge.call(planTools, wrong, unhurried)).rejects.toMatchObject({ code: 'invalid_field' });
  });

  it('the router’s metrics have the number of plans, the running models and the state of the vectors', async () => {
    const metrics = await (await fetch(`${router.healthUrl}/metrics`)).text();
    expect(metrics).toMatch(/tool_router_plans_total\{[^}]*outcome="prior"[^}]*\} [1-9]/);
    expect(metrics).toMatch(/tool_router_definitions\{[^}]*\} 117/);
    expect(metrics).toMatch(/tool_router_encoder_up\{[^}]*\} 1/);
    expect(metrics).toMatch(/tool_router_reranker_up\{[^}]*\} 1/);
    expect(metrics).toMatch(/tool_router_vectors\{[^}]*\} 117/);
    expect(metrics).toMatch(/tool_router_rankings_total\{[^}]*lane="semantic"[^}]*\} [1-9]/);
  });

  it('the router plans by keyword if there is no valid encoder, and reports the fallback', async () => {
    const replica = await startService('tool-router', nats.url, {
      INSTANCE_ID: 'router-3',
      ROUTER_ENCODER_DIR: import.meta.dirname,
    });
    try {
      const at = { instanceId: 'router-3', ...unhurried };
      await edge.call(defineTools, { tools: definitions }, at);
      const planned = await edge.call(planToolsAt, { ...question, toolHashes: hashes }, at);
      expect(planned).toMatchObject({ status: 'planned', method: 'keyword' });
      // The log and the responses use different channels, so the log line may arrive after the response.
      const said = 'no encoder, ranking tools by keyword';
      await eventually(() => (replica.output().includes(said) ? true : undefined));
      const metrics = await (await fetch(`${replica.healthUrl}/metrics`)).text();
      expect(metrics).toMatch(/tool_router_encoder_up\{[^}]*\} 0/);
      expect(metrics).toMatch(/tool_router_rankings_total\{[^}]*reason="no_model"[^}]*\} 1/);
    } finally {
      await replica.stop();
    }
  });

  it('the router exits on SIGTERM if no work is left', async () => {
    const replica = await startService('tool-router', nats.url);
    expect(await replica.stop()).toBe(0);
  });
});

describe('the compressor process', () => {
  it('the compressor returns edits that compact every definition of the 117 tools and change nothing else', async () => {
    const request = { definitions: texts.map((text, at) => ({ hash: hashes[at]!, text })) };
    const { results } = await edge.call(compressSchemas, request, unhurried);
    expect(results.map(({ hash }) => hash)).toEqual(hashes);
    results.forEach(({ edits }, at) => {
      const before = texts[at]!;
      const after = applyEdits(Buffer.from(before), edits).toString();
      expect(after.length).toBeLessThan(before.length);
      expect(after).toBe(JSON.stringify(JSON.parse(after)));
    });
  });
});
