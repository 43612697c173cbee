import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as waitMs } from 'node:timers/promises';
import { startStack, type StackUnderTest } from '@gateway/testing';
import { connectProvider, createTestKey } from '../e2e/account.fixture.ts';
import { plainMessages, thoughtful, toMessagesTool } from '../e2e/anthropic.fixture.ts';
import { githubTools } from '../e2e/github-tools.fixture.ts';
import { postChat, send } from '../e2e/http.fixture.ts';
import { plainAnswer, startProvider } from '../e2e/provider.fixture.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';
import { listSeries, panels, rules as writtenRules } from '../k8s/series.fixture.ts';
import { root } from './dockerfile.fixture.ts';
import { installTestPrograms, prometheusProgram } from './programs.fixture.ts';
import { startPrometheus, type Prometheus, type Rule } from './prometheus.fixture.ts';

/**
 * The longest time in milliseconds until an alert rule fires. A rule fires after its rate window plus its
 * `for` duration.
 */
const ruleWaitMs = 2 * 60_000;
/** Extra time in milliseconds for scrapes and evaluations on a busy machine. */
const slackMs = 40_000;
const victim = 'tool-router';
const message = 'messages.1.content.0: The block is bound to a different conversation.';
const bindingRejection = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  body: { type: 'error', error: { type: 'invalid_request_error', message } },
};

let stack: StackUnderTest;
let prometheus: Prometheus;
let load: Load;

/**
 * Loads the alert rules in deploy/ into a real Prometheus, which scrapes a stack under load.
 * @param factor the factor by which all durations in the rules are divided, where 1 leaves the rules unchanged
 */
export function describeAlerts(factor: number): void {
  const undo: Undo[] = [];
  const withinMs = ruleWaitMs / factor + slackMs;

  beforeAll(async () => {
    await installTestPrograms([prometheusProgram]);
    stack = await startStack({ env: { 'edge-gateway': { PLAN_DEADLINE_MS: '6000' } } });
    undo.push(() => stack.stop());
    // A provider with stored credentials, in addition to the sandbox provider.
    const provider = await startProvider();
    undo.push(() => provider.close());
    provider.setControls(({ url, body }) => {
      if (!url.includes('/messages')) return plainAnswer;
      return body.includes('drop_block') ? plainMessages(JSON.parse(thoughtful)) : bindingRejection;
    });
    const base_url = `${provider.url}/v1`;
    for (const name of ['openai', 'anthropic'])
      await connectProvider(stack.baseUrl, stack.apiKey, {
        ...{ provider: name, api_key: 'sk-any-0123456789', base_url },
      });
    load = startLoad();
    undo.push(() => load.stop());
    prometheus = await startPrometheus(stack, factor);
    undo.push(() => prometheus.stop());
  }, 300_000);
  afterAll(() => undoAll(undo), 60_000);

  test('promtool accepts the configuration', () => {
    const file = join(root, 'deploy/prometheus/prometheus.yaml');
    const check = spawnSync('promtool', ['check', 'config', '--syntax-only', file], { encoding: 'utf8' });
    expect([check.status, check.stderr]).toEqual([0, '']);
  });

  test('every rule is loaded and can be evaluated', async () => {
    const names = writtenRules.map(({ alert }) => alert).sort();
    const loaded = await eventually(async () => {
      const rules = await prometheus.rules();
      return rules.length > 0 && rules.every(({ health }) => health !== 'unknown') ? rules : undefined;
    }, withinMs);
    expect(loaded.map(({ name }) => name).sort()).toEqual(names);
    expect(loaded.filter(({ health, lastError }) => health !== 'ok' || lastError)).toEqual([]);
  });

  test('the scrapes contain every metric that a rule or panel uses', async () => {
    const expressions = [
      ...writtenRules.map(({ expr }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    const wanted = [...new Set(expressions.flatMap(listSeries))];
    let missing = wanted;
    await eventually(async () => {
      const series = await prometheus.series();
      missing = wanted.filter((name) => !series.has(name));
      return missing.length === 0 ? true : undefined;
    }, withinMs).catch(() => undefined);
    expect(missing).toEqual([]);
  });

  test.each(panels)('the panel “$title” has data', async ({ targets }) => {
    for (const { expr } of targets) {
      const counted = eventually(async () => (await prometheus.count(expr)) || undefined, withinMs);
      await expect(counted).resolves.toBeGreaterThan(0);
    }
  });

  const lostRouter =
    'a router that is killed fires the alerts of a planner and of a process that are away, and they clear';
  test(
    lostRouter,
    async () => {
      await waitForStates(withinMs, { PlannerAway: 'inactive', ProcessDown: 'inactive' });
      await stack.service(victim).kill();
      await waitForStates(withinMs, { PlannerAway: 'firing', ProcessDown: 'firing' });
      const rules = await prometheus.rules();
      // On a busy machine, a missed scrape may leave an alert pending, but no alert may fire.
      const down = find(rules, 'ProcessDown').alerts.filter(({ state }) => state === 'firing');
      expect(down).toHaveLength(1);
      // The gateway serves requests during the whole test, so no user-facing alert may fire.
      expect(load.failures).toEqual([]);
      for (const name of ['GatewayDown', 'RequestsFail', 'RequestsShed'])
        expect(find(rules, name).state).not.toBe('firing');
      await stack.service(victim).start();
      await waitForStates(withinMs, { PlannerAway: 'inactive', ProcessDown: 'inactive' });
    },
    3 * withinMs,
  );

  test('an alert fires if a provider rejects bound reasoning after the gateway changed the prefix', async () => {
    await waitForStates(withinMs, { BoundReasoningRejected: 'inactive' });
    await rejectReasoning();
    await waitForStates(withinMs, { BoundReasoningRejected: 'firing' });
  });
}

function find(rules: readonly Rule[], name: string): Rule {
  const rule = rules.find((each) => each.name === name);
  if (rule === undefined) throw new Error(`There is no rule ${name}.`);
  return rule;
}

async function waitForStates(
  withinMs: number,
  wanted: Readonly<Record<string, Rule['state']>>,
): Promise<void> {
  let states: Record<string, string> = {};
  await eventually(async () => {
    const rules = await prometheus.rules();
    states = Object.fromEntries(Object.keys(wanted).map((name) => [name, find(rules, name).state]));
    return Object.entries(wanted).every(([name, state]) => states[name] === state) ? true : undefined;
  }, withinMs).catch(() => undefined);
  expect(states).toEqual(wanted);
}

/**
 * Sends reasoning with an API key that has a denied tool. The provider accepts the request only if the
 * reasoning is removed.
 */
async function rejectReasoning(): Promise<void> {
  const path = '/v1/account/keys';
  const key = await createTestKey(stack.baseUrl, stack.apiKey, { name: 'narrow' });
  const lists = { denied_tools: [githubTools[0]?.function.name], allowed_tools: null };
  await send(stack.baseUrl, {
    method: 'PUT',
    path: `${path}/${key.id}/toollist`,
    key: stack.apiKey,
    body: lists,
  });
  const thinking = { type: 'thinking', thinking: '', signature: 'signed' };
  const messages = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: [thinking, { type: 'text', text: 'Hello.' }] },
    { role: 'user', content: 'Go on' },
  ];
  const tools = githubTools.slice(0, 3).map(toMessagesTool);
  const body = { model: 'anthropic/claude-opus-5-5', max_tokens: 4000, messages, tools };
  await eventually(async () => {
    const answer = await send(stack.baseUrl, { path: '/v1/messages', key: key.key, body });
    expect(answer.status).toBe(200);
    // The edges apply the API key's denied tool within a second.
    return (
      (await prometheus.count('sum(gateway_bound_rejections_total{outcome="dropped"}) > 0')) || undefined
    );
  }, slackMs);
}

interface Load {
  /** Describes each response with a status other than 200, and any error that ended the load early. */
  readonly failures: readonly string[];
  stop(): Promise<void>;
}

/** Sends a few requests per second, with tools and a tool result, until the load is stopped. */
function startLoad(): Load {
  const failures: string[] = [];
  let isRunning = true;
  const result = JSON.stringify({ items: [1, 2, 3].map((id) => ({ id, title: `item ${id}` })) }, null, 4);
  const call = { name: githubTools[0]?.function.name, arguments: '{}' };
  const work = async () => {
    for (let number = 0; isRunning; number++) {
      const messages = [
        { role: 'user', content: `Create an issue titled "Number ${number}" in octo/hello` },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: call }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: result },
      ];
      const stream = number % 2 === 0;
      const model = stream ? 'sandbox/sandbox-1' : 'openai/gpt-4o-mini';
      const body = { model, stream, messages, tools: githubTools.slice(0, 40) };
      const { status, text } = await postChat(stack.baseUrl, stack.apiKey, body);
      if (status !== 200) failures.push(`${status} ${text}`);
      await waitMs(100);
    }
  };
  const done = work().catch((error: unknown) => failures.push(String(error)));
  return {
    failures,
    stop: async () => {
      isRunning = false;
      await done;
    },
  };
}
