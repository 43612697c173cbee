import { makeHeadPolicy } from './account-policy.ts';
import { makeTools, makeTurn } from './tool-lists.ts';
import { isLearned } from '../../../apps/tool-router/src/ranking/learned-ranking.ts';
import type { EncoderChoice } from '../../../apps/tool-router/src/ranking/ranker.port.ts';
import type { PackedVector } from '../../../apps/tool-router/src/vectors/shared-vectors.port.ts';
import type { SharedVectors } from '../../../apps/tool-router/src/vectors/shared-vectors.port.ts';
import { cpuMs, listOf, quantile, round, RouterUnderTest, type LaterFields } from './router.ts';

/** Requests a few plans, so that the process compiles its hot code before the measurement. */
async function warmUp(router: RouterUnderTest, questions: number): Promise<void> {
  const list = listOf(makeTools(20_000_000, 60));
  await router.define(list);
  await router.settle();
  for (let at = 0; at < questions; at += 1) await router.plan(list, makeTurn(500_000 + at));
}

/**
 * Measures plans for a known tool list with the first encoder. The benchmark requests one plan at a time,
 * each for a new user turn.
 */
export async function measureKnown(questions: number) {
  const router = await RouterUnderTest.open({ encoders: 'first' });
  const result: Record<string, object> = {};
  await warmUp(router, questions);
  for (const size of [25, 100, 1000]) {
    const list = listOf(makeTools(size * 10_000, size));
    await router.define(list);
    await router.settle();
    for (let at = 0; at < 50; at += 1) await router.plan(list, makeTurn(at));
    const times: number[] = [];
    const methods = new Set<string>();
    const cpuBefore = cpuMs();
    for (let at = 0; at < questions; at += 1) {
      const startedAt = performance.now();
      const { method } = await router.plan(list, makeTurn(1000 + at));
      times.push(performance.now() - startedAt);
      methods.add(method);
    }
    const cpu_ms = round((cpuMs() - cpuBefore) / questions);
    result[size] = {
      p50_ms: round(quantile(times, 0.5)),
      p99_ms: round(quantile(times, 0.99)),
      cpu_ms,
      method: [...methods].join(' '),
    };
  }
  await router.close();
  return result;
}

/**
 * Returns the ranking method and number of encoders in a policy version, such as `semantic.2`. The result ends with
 * `+head` if an account head ranked the tools.
 */
const rankerOf = (policyVersion: string): string =>
  policyVersion.split(/[./]/).slice(0, 2).join('.') + (isLearned(policyVersion) ? '+head' : '');

/**
 * Measures plans with both encoders for a known list of 100 tools. Returns results for a conversation's first
 * request (`first_turn`), a step of an agent loop (`later_step`), and the next user turn (`later_user_turn`).
 * Every user turn is new.
 * @param hasHead whether the account has an account head of the maximum size, which ranks the tools again
 */
export async function measureBoth(questions: number, hasHead = false) {
  const list = listOf(makeTools(70_000_000, 100));
  const policy = hasHead ? makeHeadPolicy(list) : null;
  const router = await RouterUnderTest.open({ encoders: 'both', policy });
  await warmUp(router, questions);
  await router.define(list);
  await router.settle();
  const times: Record<'first_turn' | 'later_step' | 'later_user_turn', number[]> = {
    ...{ first_turn: [], later_step: [], later_user_turn: [] },
  };
  const rankers = new Set<string>();
  const time = async (of: keyof typeof times, turns: readonly string[], later: LaterFields = {}) => {
    const startedAt = performance.now();
    const planned = await router.plan(list, turns, later);
    times[of].push(performance.now() - startedAt);
    return planned;
  };
  for (let at = -50; at < questions; at += 1) {
    if (at === 0) for (const each of Object.values(times)) each.length = 0;
    const turns = [makeTurn(2_000_000 + at), makeTurn(3_000_000 + at)];
    const first = await time('first_turn', turns.slice(0, 1));
    const { chosen: forwarded = [], policyVersion, method: lane, way = null, isShadow } = first;
    const session = { forwarded, turns: 1, policyVersion, lane, way, isShadow };
    const calledTools = [list.tools[first.forwarded[0] ?? 0]?.name ?? ''];
    await time('later_step', turns.slice(0, 1), { session, calledTools, recentResults: ['{"id":1}'] });
    await time('later_user_turn', turns, { session, calledTools });
    rankers.add(rankerOf(policyVersion));
  }
  await router.close();
  return Object.fromEntries(
    Object.entries(times).map(([of, each]) => [
      of,
      {
        p50_ms: round(quantile(each, 0.5)),
        p99_ms: round(quantile(each, 0.99)),
        ranker: [...rankers].join(' '),
      },
    ]),
  );
}

/**
 * Measures plans for tool lists that the router does not know. For each list, the benchmark first sends the
 * tool definitions and then requests the plan.
 */
export async function measureNew(runs: number) {
  const router = await RouterUnderTest.open({ encoders: 'both' });
  // The first plans warm up the process's code and are not measured.
  for (let run = 0; run < 5; run += 1) {
    const list = listOf(makeTools(30_000_000 + run * 1000, 300));
    await router.define(list);
    await router.plan(list, makeTurn(run));
    await router.settle();
  }
  const result: Record<string, object> = {};
  for (const size of [200, 1000]) {
    const [times, cpus, after, second]: number[][] & { length: 4 } = [[], [], [], []];
    const methods = new Set<string>();
    for (let run = 0; run < runs; run += 1) {
      const list = listOf(makeTools(40_000_000 + size * 10_000 + run * size, size));
      const [startedAt, cpuBefore] = [performance.now(), cpuMs()];
      await router.define(list);
      const { method } = await router.plan(list, makeTurn(run));
      times.push(performance.now() - startedAt);
      cpus.push(cpuMs() - cpuBefore);
      methods.add(method);
      const [settledFrom, cpuFrom] = [performance.now(), cpuMs()];
      await router.settleFirst();
      after.push(
        method === 'keyword' ? Math.max(performance.now() - settledFrom, cpuMs() - cpuFrom) / size : 0,
      );
      const secondFrom = cpuMs();
      await router.settle();
      second.push((cpuMs() - secondFrom) / size);
    }
    result[size] = {
      p50_ms: round(quantile(times, 0.5)),
      least_ms: round(Math.min(...times)),
      cpu_ms: round(quantile(cpus, 0.5)),
      method: [...methods].join(' '),
      vectors_after_ms_a_tool: round(quantile(after, 0.5), 3),
      second_vectors_cpu_ms_a_tool: round(quantile(second, 0.5), 3),
    };
  }
  await router.close();
  return result;
}

/**
 * Sends requests at a fixed rate, without waiting for responses. A response time starts at the planned start
 * of the request.
 */
export async function measureLoad(perSecond: number, seconds: number, encoders: EncoderChoice) {
  const router = await RouterUnderTest.open({ encoders });
  const lists = [25, 100, 100, 100, 200].map((size, at) => listOf(makeTools(50_000_000 + at * 10_000, size)));
  for (const list of lists) await router.define(list);
  await router.settle();
  for (let at = 0; at < 300; at += 1) await router.plan(lists[at % lists.length]!, makeTurn(at));
  const times: number[] = [];
  const rankers: Record<string, number> = {};
  const total = perSecond * seconds;
  const [startedAt, cpuBefore] = [performance.now(), cpuMs()];
  const open: Promise<void>[] = [];
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * perSecond));
    for (; sent < due; sent += 1) {
      const dueAt = startedAt + (sent / perSecond) * 1000;
      open.push(
        router.plan(lists[sent % lists.length]!, makeTurn(10_000 + sent)).then(({ policyVersion }) => {
          times.push(performance.now() - dueAt);
          const ranker = rankerOf(policyVersion);
          rankers[ranker] = (rankers[ranker] ?? 0) + 1;
        }),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(open);
  const elapsedMs = performance.now() - startedAt;
  await router.close();
  return {
    per_second: perSecond,
    encoders,
    tools: '25 to 200, 105 on the average',
    p50_ms: round(quantile(times, 0.5)),
    p99_ms: round(quantile(times, 0.99)),
    cores: round((cpuMs() - cpuBefore) / elapsedMs),
    rankers,
  };
}

/**
 * Vectors of the second encoder, as another replica would have stored them. The computation is skipped,
 * because for 100,000 tools it takes minutes and needs no additional memory.
 */
const vectorsOfAnotherReplica: SharedVectors = {
  fetch: (_modelId, dimensions, hashes) => {
    if (dimensions !== 384) return Promise.resolve(new Map());
    const vector = (hash: string): PackedVector => ({
      steps: Int8Array.from({ length: dimensions }, (_, at) => hash.charCodeAt(at % hash.length)),
      scale: 0.001,
    });
    return Promise.resolve(new Map(hashes.map((hash) => [hash, vector(hash)])));
  },
  store: () => Promise.resolve(),
};

/**
 * Returns the router process's memory after it has received the given number of tools. The router receives
 * lists of 100 tools, and makes one plan per list with the given encoders.
 */
export async function measureMemory(tools: number, encoders: EncoderChoice) {
  const router = await RouterUnderTest.open({ encoders, shared: vectorsOfAnotherReplica });
  const before = process.memoryUsage.rss();
  for (let from = 0; from < tools; from += 100) {
    const list = listOf(makeTools(60_000_000 + from, 100));
    await router.define(list);
    await router.plan(list, makeTurn(from));
  }
  await router.settle();
  globalThis.gc?.();
  const rss = process.memoryUsage.rss();
  const result = {
    tools,
    encoders,
    rss_mb: round(rss / 1e6, 0),
    rss_before_mb: round(before / 1e6, 0),
    heap_mb: round(process.memoryUsage().heapUsed / 1e6, 0),
    heap_reserved_mb: round(process.memoryUsage().heapTotal / 1e6, 0),
    buffers_mb: round(process.memoryUsage().external / 1e6, 0),
    vectors: router.ranking.vectors.size,
    second_vectors: router.ranking.secondVectors?.size,
    definitions: router.memory.definitions,
    lists: router.memory.lists,
  };
  await router.close();
  return result;
}
